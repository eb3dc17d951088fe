-- What both scripts stand on: exact amounts, the clock, and one account's state. All keys of an account share
-- its hash tag, so a script touches one slot of a cluster:
--   KEYS[1] hash   account version, funds, sums, windows (`w:<scope>:<dimension>:<seconds>`), calls (`c:<id>`)
--   KEYS[2] zset   calls by the time at which what they hold, or have pending, is given up
--   KEYS[3] zset   slots of one scope by the time they were taken (not in every mode)
-- ARGV[1] is one line of words: an array of them costs the client ten times as much.
local hash, leases, slots = KEYS[1], KEYS[2], KEYS[3]

local words, at = {}, 0
for word in string.gmatch(ARGV[1], '%S+') do words[#words + 1] = word end
local function take()
  at = at + 1
  return words[at]
end
local function take_number() return tonumber(take()) end

-- Lua's numbers are doubles, exact up to 2^53 only, so an amount has two limbs: high * 10^9 + low with
-- 0 <= low < 10^9. `fmod` is exact where a division would round.
local BASE = 1000000000
local Amount = {}
local function amount(high, low)
  if low < 0 or low >= BASE then
    local rest = math.fmod(low, BASE)
    if rest < 0 then rest = rest + BASE end
    high = high + (low - rest) / BASE
    low = rest
  end
  return setmetatable({ high, low }, Amount)
end
Amount.__add = function(one, other) return amount(one[1] + other[1], one[2] + other[2]) end
Amount.__sub = function(one, other) return amount(one[1] - other[1], one[2] - other[2]) end
-- By a whole factor of at most six digits.
Amount.__mul = function(one, factor) return amount(one[1] * factor, one[2] * factor) end
Amount.__lt = function(one, other)
  return one[1] < other[1] or (one[1] == other[1] and one[2] < other[2])
end
Amount.__le = function(one, other) return not (other < one) end
local ZERO = amount(0, 0)

local function least_of(one, other) return other < one and other or one end

local function read(text)
  if not text then return ZERO end
  if string.byte(text) == 45 then return ZERO - read(string.sub(text, 2)) end
  if #text <= 9 then return amount(0, tonumber(text)) end
  return amount(tonumber(string.sub(text, 1, -10)), tonumber(string.sub(text, -9)))
end

local function write(one)
  if one[1] < 0 then return '-' .. write(ZERO - one) end
  if one[1] == 0 then return string.format('%.0f', one[2]) end
  return string.format('%.0f%09.0f', one[1], one[2])
end

local function take_amount() return read(take()) end

-- The server's own time: nodes need not agree on theirs. Tests give one that stands still.
local function clock(given)
  if given ~= '-' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local now = clock(take())
local LEASE_MS, KEEP_MS, SLOT_MS = take_number(), take_number(), take_number()

-- A window: when it began (its identity), when it ends, what is used, and for money what is held of it.
local function read_window(field, text, seconds)
  if not text then return nil end
  local began, ends, used, held = string.match(text, '^(%S+) (%S+) (%S+) (%S+)$')
  local window = { began = tonumber(began), ends = tonumber(ends), used = used, held = read(held) }
  -- The server's clock was set back: no window lasts longer than its length from now.
  if window.ends - now > seconds * 1000 then
    window.ends = now + seconds * 1000
    redis.call('HSET', hash, field, string.format('%.0f %.0f %s %s', window.began, window.ends, used, held))
  end
  return now < window.ends and window or nil
end

local function new_window(seconds)
  return { began = now, ends = now + seconds * 1000, used = '0', held = ZERO }
end

local function window_text(window)
  return string.format('%.0f %.0f %s %s', window.began, window.ends, window.used, write(window.held))
end

local function seconds_of(field) return tonumber(string.match(field, ':(%d+)$')) end

local function find_window(field)
  return read_window(field, redis.call('HGET', hash, field), seconds_of(field))
end

-- A call: `r` running or `p` pending, the amount, the month it counts into, when it entered, when it took its
-- hold, and the windows it holds it in. A window that began after the hold is another one.
local function read_call(text)
  if not text then return nil end
  local state, sum, month, entered, since, fields = string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+)(.*)$')
  return {
    state = state, sum = read(sum), month = month,
    entered = tonumber(entered), since = tonumber(since), fields = fields,
  }
end

local function call_text(call)
  return string.format('%s %s %s %.0f %.0f%s',
    call.state, write(call.sum), call.month, call.entered, call.since, call.fields)
end

-- The sums of what calls hold and of what is pending, with the part that counts into the current month.
local function sums_of(held, pending, month, month_held, month_pending)
  return { h = read(held), p = read(pending), m = month or '0', mh = read(month_held), mp = read(month_pending) }
end

local function read_sums() return sums_of(unpack(redis.call('HMGET', hash, 'h', 'p', 'm', 'mh', 'mp'))) end

local function write_sums(sums)
  redis.call('HSET', hash, 'h', write(sums.h), 'p', write(sums.p), 'm', sums.m,
    'mh', write(sums.mh), 'mp', write(sums.mp))
end

local function add_to_sums(sums, call, difference)
  local sum, part = 'h', 'mh'
  if call.state == 'p' then sum, part = 'p', 'mp' end
  -- Who is paid for by a subscription holds windows only.
  if call.month == '-' then return end
  sums[sum] = sums[sum] + difference
  if call.month == sums.m then sums[part] = sums[part] + difference end
end

-- Adds to what the call's windows hold, where they still run; writes them.
local function add_to_windows(call, difference)
  for field in string.gmatch(call.fields, '%S+') do
    local window = find_window(field)
    if window and window.began <= call.since then
      window.held = window.held + difference
      redis.call('HSET', hash, field, window_text(window))
    end
  end
end

-- Nothing of the call is held or pending any longer; its record is the caller's to write or to drop.
local function release(sums, call)
  add_to_sums(sums, call, ZERO - call.sum)
  if call.state == 'r' then add_to_windows(call, ZERO - call.sum) end
  call.sum = ZERO
end

local function take_funds()
  return { fv = take(), fc = take(), fb = take(), fs = take(), fm = take() }
end

-- Every key has a time to live, renewed by use. `x` is the end of the longest window seen: the hash outlives it.
local function keep(longest_seconds)
  local known = tonumber(redis.call('HGET', hash, 'x') or '0')
  local wanted = now + longest_seconds * 1000
  if wanted > known then redis.call('HSET', hash, 'x', string.format('%.0f', wanted)) end
  redis.call('PEXPIRE', hash, string.format('%.0f', math.max(KEEP_MS, math.max(wanted, known) - now)))
  redis.call('PEXPIRE', leases, string.format('%.0f', KEEP_MS))
end

-- A process that died renews nothing: what its calls hold is given up. A pending charge is given up after days,
-- when whoever should have settled it will not come back. The next call goes on where the bound ends.
local GIVEN_UP_AT_ONCE = 50
local function give_up()
  local late = redis.call('ZRANGEBYSCORE', leases, '-inf', string.format('%.0f', now), 'LIMIT', 0, GIVEN_UP_AT_ONCE)
  if #late == 0 then return end
  local sums = read_sums()
  for _, id in ipairs(late) do
    local call = read_call(redis.call('HGET', hash, 'c:' .. id))
    if call then
      release(sums, call)
      write_sums(sums)
      redis.call('HDEL', hash, 'c:' .. id)
    end
    redis.call('ZREM', leases, id)
  end
end
