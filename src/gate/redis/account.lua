-- Shared by all operations: exact amounts, the clock, and the state of one account. All keys of an account share
-- its hash tag, so an operation uses one slot of a cluster:
--   hash           account version, funds, sums, windows (`w:<scope>:<dimension>:<seconds>`), calls (`c:<id>`)
--   leases (zset)  calls by the time at which their hold, or pending charge, is given up
--   slots_of(scope) zset   slots of one scope by the time they were taken
-- One run of the script does many operations, so that the cost of a run is shared: KEYS are their hashes, and
-- ARGV their lines of words. The names and the order of the words are those of words.ts, from which the lines
-- that begin with `--@` are written out.
--@ bounds
local format, find, sub, match, gmatch = string.format, string.find, string.sub, string.match, string.gmatch
local floor, fmod, max = math.floor, math.fmod, math.max

-- This way of splitting a line is the fastest in Lua.
local words, at
local function take_line(line)
  words, at = cjson.decode('["' .. string.gsub(line, ' ', '","') .. '"]'), 0
end
local function take()
  at = at + 1
  return words[at]
end
local function take_number() return tonumber(take()) end

--@ tell held
--@ tell refused
--@ tell look
--@ tell window

-- Lua's numbers are doubles, exact up to 2^53 only, so an amount has two limbs: high * 10^9 + low with
-- 0 <= low < 10^9. `fmod` is exact where a division would round.
local BASE = 1000000000
local Amount = {}
local function amount(high, low)
  if low < 0 or low >= BASE then
    local rest = fmod(low, BASE)
    if rest < 0 then rest = rest + BASE end
    high = high + (low - rest) / BASE
    low = rest
  end
  return setmetatable({ high, low }, Amount)
end
Amount.__add = function(one, other) return amount(one[1] + other[1], one[2] + other[2]) end
Amount.__sub = function(one, other) return amount(one[1] - other[1], one[2] - other[2]) end
-- An amount of at most 10^18, by a whole factor of at most 10^6.
Amount.__mul = function(one, factor) return amount(one[1] * factor, one[2] * factor) end
Amount.__lt = function(one, other)
  return one[1] < other[1] or (one[1] == other[1] and one[2] < other[2])
end
Amount.__le = function(one, other) return not (other < one) end
local ZERO = amount(0, 0)

-- A quarter of an amount that is not negative, rounded down.
local function quarter(one)
  local rest = fmod(one[1], 4)
  return amount((one[1] - rest) / 4, floor((rest * BASE + one[2]) / 4))
end

local function read(text)
  if not text or text == '0' then return ZERO end
  if #text <= 9 then return amount(0, tonumber(text)) end
  if string.byte(text) == 45 then return ZERO - read(sub(text, 2)) end
  return amount(tonumber(sub(text, 1, -10)), tonumber(sub(text, -9)))
end

-- A whole number is written by `%d`: `%.0f` takes three times as long.
local function write(one)
  if one == ZERO then return '0' end
  local high = one[1]
  if high < 0 then return '-' .. write(ZERO - one) end
  -- Below 10^15 one double holds all of it.
  if high < 1000000 then return format('%d', high * BASE + one[2]) end
  return format('%d%09d', high, one[2])
end

local function take_amount() return read(take()) end

-- The server's time, because clocks of nodes may differ. Tests pass a fixed time.
local server_ms
local function clock(given)
  if given ~= '-' then return tonumber(given) end
  if not server_ms then
    local time = redis.call('TIME')
    server_ms = tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000)
  end
  return server_ms
end

-- The hash as this run sees it: read by one command, changed in memory, written by one command at the end of an
-- operation. The next operation on the same hash reads only what is not known yet.
local hash, leases, now, known, changed, sums
-- The call that the last operation of this run let in.
local last_entered
local hashes = {}
local function begin(key, time)
  hash, leases, now, sums = key, key .. ':leases', clock(time), nil
  known, changed = hashes[key], {}
  if known then return end
  known = {}
  hashes[key] = known
end
-- Something is known that was not written, or may not have been written: the next operation reads again.
local function forget() hashes[hash] = nil end

local function load(fields)
  local missing = fields
  if next(known) then
    local count = 0
    missing = {}
    for _, field in ipairs(fields) do
      if known[field] == nil then
        count = count + 1
        missing[count] = field
      end
    end
    if count == 0 then return end
  end
  local texts = redis.call('HMGET', hash, unpack(missing))
  for index = 1, #missing do known[missing[index]] = texts[index] end
end
local function get(field)
  if known[field] == nil then known[field] = redis.call('HGET', hash, field) end
  return known[field]
end
-- `false` deletes the field.
local function put(field, text)
  if known[field] == text then return end
  known[field] = text
  changed[field] = true
end

-- Every key has a time to live. `k` is the time until which the hash surely exists. It is renewed by the hour,
-- not by every call, and outlives the longest window. A member that is never due keeps the zset in existence.
local SLACK_MS = 3600000
local function keep(longest_seconds)
  local wanted = now + max(KEEP_MS, longest_seconds * 1000)
  if tonumber(get('k') or '0') >= wanted then return end
  local life = format('%d', wanted + SLACK_MS - now)
  known.k = format('%d', wanted + SLACK_MS)
  redis.call('HSET', hash, 'k', known.k)
  redis.call('PEXPIRE', hash, life)
  redis.call('ZADD', leases, 'inf', '-')
  redis.call('PEXPIRE', leases, life)
end

local function flush(longest_seconds)
  if not next(changed) then return end
  local written, dropped, count = {}, {}, 0
  for field in pairs(changed) do
    local text = known[field]
    if text then
      written[count + 1], written[count + 2] = field, text
      count = count + 2
    else
      dropped[#dropped + 1] = field
    end
  end
  if count > 0 then redis.call('HSET', hash, unpack(written)) end
  if #dropped > 0 then redis.call('HDEL', hash, unpack(dropped)) end
  changed = {}
  if count > 0 then keep(longest_seconds) end
end

-- A window: its start (its identity), its end, what is used, and for money what is held. Start and end stay as
-- they were read (`span`), because few operations change them.
local function window_text(window) return window.span .. ' ' .. window.used .. ' ' .. write(window.held) end

local function find_window(field, seconds)
  local text = get(field)
  if not text then return nil end
  local span, began, ends, used, held = match(text, '^((%S+) (%S+)) (%S+) (%S+)$')
  local left = tonumber(ends) - now
  if left <= 0 then return nil end
  local window = { span = span, began = began, left = left, used = used, held = read(held) }
  -- The server's clock was set back: no window lasts longer than its length from now.
  if left > seconds * 1000 then
    window.left = seconds * 1000
    window.span = format('%s %d', began, now + window.left)
    put(field, window_text(window))
  end
  return window
end

local function new_window(seconds)
  local left = seconds * 1000
  return { span = format('%d %d', now, now + left), began = now, left = left, used = '0', held = ZERO }
end

local function began_by(window, time) return tonumber(window.began) <= time end

local function seconds_of(field) return tonumber(match(field, ':(%d+)$')) end

-- A call: `r` running, `p` pending or `g` given up, the amount, the month it counts into, when it entered, when
-- it took its hold, the scopes of its slots (separated by commas), and the windows that it holds in. A window
-- that began after the hold is another one.
local function find_call(id)
  local text = get('c:' .. id)
  if not text then return nil end
  local state, sum, month, entered, since, scopes, fields =
    match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)(.*)$')
  return {
    state = state, sum = read(sum), month = month,
    entered = tonumber(entered), since = tonumber(since), scopes = scopes, fields = fields,
  }
end

local function put_call(id, call)
  put('c:' .. id, format('%s %s %s %d %d %s%s',
    call.state, write(call.sum), call.month, call.entered, call.since, call.scopes, call.fields))
end

-- A call that was given up holds nothing but is kept: its cost counts when its process comes back. A call that
-- ended after a message about it got lost leaves a mark (`d:<id>`) for as long as that message could still
-- arrive, which then changes nothing. Both are bounded per account; `g` and `d` count them.
local REMEMBERED_MAX = 1000
local function remembers_more(kind) return tonumber(get(kind) or '0') < REMEMBERED_MAX end
local function count(kind, difference)
  put(kind, format('%d', tonumber(get(kind) or '0') + difference))
end
local function is_marked(id) return get('d:' .. id) end

-- The slots of any scope: the hash tag is the same, and so is the slot of a cluster.
local function slots_of(scope) return hash .. ':slots:' .. scope end

local function free_slots(id, scopes)
  for scope in gmatch(scopes, '[^,]+') do redis.call('ZREM', slots_of(scope), id) end
end

local SLOT_LIFE = format('%d', SLOT_MS)
-- A running call that was given up as lost takes its slots again for the rest of their lifetime.
local function take_slots(id, call)
  if now - call.entered >= SLOT_MS then return end
  for scope in gmatch(call.scopes, '[^,]+') do
    redis.call('ZADD', slots_of(scope), format('%d', call.entered), id)
    redis.call('PEXPIRE', slots_of(scope), SLOT_LIFE)
  end
end

local function holds_in(call, field) return find(call.fields .. ' ', ' ' .. field .. ' ', 1, true) end

-- The sums of held and pending amounts, with the part that counts into the current month. They are read when a call
-- needs them: one that costs nothing does not.
local OF_PAYER = { 'fv', 'fc', 'fb', 'fs', 'fm', 'h', 'p', 'm', 'mh', 'mp' }
local SUMS = { 'h', 'p', 'm', 'mh', 'mp', 'k' }
local sums_before
local function read_sums()
  if sums then return end
  local h, p, m, mh, mp = read(get('h')), read(get('p')), get('m') or '0', read(get('mh')), read(get('mp'))
  sums = { h = h, p = p, m = m, mh = mh, mp = mp }
  sums_before = { h = h, p = p, mh = mh, mp = mp }
end

local function write_sums()
  if not sums then return end
  for field, before in pairs(sums_before) do
    if sums[field] ~= before then put(field, write(sums[field])) end
  end
  put('m', sums.m)
end

-- A call that a subscription pays, or no payer, counts in windows only.
local function add_to_sums(call, difference)
  if call.month == '-' then return end
  read_sums()
  local sum, part = 'h', 'mh'
  if call.state == 'p' then sum, part = 'p', 'mp' end
  sums[sum] = sums[sum] + difference
  if call.month == sums.m then sums[part] = sums[part] + difference end
end

-- Adds to the amount held in the call's windows, if they still run.
local function add_to_windows(call, difference)
  for field in gmatch(call.fields, '%S+') do
    local window = find_window(field, seconds_of(field))
    if window and began_by(window, call.since) then
      window.held = window.held + difference
      put(field, window_text(window))
    end
  end
end

-- Nothing of the call is held or pending any longer. The caller writes or deletes its record.
local function release(call)
  local none = ZERO - call.sum
  add_to_sums(call, none)
  if call.state == 'r' then add_to_windows(call, none) end
  call.sum = ZERO
end

-- A call of a past month counts into the current one, which is the safe side. If the month of the ledger is
-- ahead, as after a wrong clock, it counts: the ledger has no older one.
local function turn_month(month)
  if month == '-' then return end
  read_sums()
  if month <= sums.m then return end
  sums.m, sums.mh, sums.mp = month, ZERO, ZERO
  write_sums()
end

-- Funds may arrive out of order, so only a newer version is used.
local function read_funds()
  --@ take funds
  return { fv = version, fc = credits, fb = balance, fs = month_spent, fm = month }
end
local function take_funds(funds)
  if tonumber(funds.fv) > tonumber(get('fv') or '-1') then
    for field, text in pairs(funds) do put(field, text) end
  end
  turn_month(get('fm') or '-')
end

-- The lease of a call has ended, or the time for which something about it was kept.
local function give_up(id)
  local lost = find_call(id)
  local kept = lost and lost.state == 'r' and remembers_more('g')
  if lost then
    release(lost)
    free_slots(id, lost.scopes)
    if lost.state == 'g' then count('g', -1) end
    lost.state = 'g'
    if kept then put_call(id, lost) else put('c:' .. id, false) end
  end
  if sub(id, 1, 2) == 'd:' then
    put(id, false)
    count('d', -1)
  end
  if kept then
    count('g', 1)
    redis.call('ZADD', leases, format('%d', now + KEEP_MS), id)
  else
    redis.call('ZREM', leases, id)
  end
end
