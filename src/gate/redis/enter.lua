-- A call enters (`e`), grows its hold (`x`), or changes its terms (`r`). Everything is checked before anything
-- is taken. Answers one line: `S` stale, `R …` refused, `E …` what is held now and by whom it is paid.
give_up()

local mode, id = take(), take()
local version, concurrency = take_number(), take()
local takes = { r = 1, t = take_number(), i = take_number(), v = take_number() }
-- Of a call that entered before: when it entered and when it took its hold.
local entered, since = take_number(), take_number()

local function take_rules()
  local scope, rules = take(), {}
  for index = 1, take_number() do
    local rule = { dimension = take(), seconds = take_number() }
    rule.field = string.format('w:%s:%s:%.0f', scope, rule.dimension, rule.seconds)
    rule.limit = rule.dimension == 'a' and take_amount() or take_number()
    rules[index] = rule
  end
  return rules
end

local rules = take_rules()
local want, least, factor = take_amount(), take_amount(), take_number()
local costs, covered, payable = take() == '1', take() == '1', take() == '1'
local cover = covered and take_rules() or {}
local funds = payable and take_funds() or nil
local exchange, cap, month = take() == '1', take_amount(), take()

-- One command reads all there is to know.
local fields = { 'v', 'fv', 'fc', 'fb', 'fs', 'fm', 'h', 'p', 'm', 'mh', 'mp', 'c:' .. id }
local FIXED = #fields
for _, rule in ipairs(rules) do fields[#fields + 1] = rule.field end
for _, rule in ipairs(cover) do fields[#fields + 1] = rule.field end
local got = redis.call('HMGET', hash, unpack(fields))
local sums = sums_of(got[7], got[8], got[9], got[10], got[11])
local call = read_call(got[12])

if mode == 'e' then
  local known = tonumber(got[1] or '-1')
  if version < known then return 'S' end
  if version > known then
    redis.call('HSET', hash, 'v', string.format('%.0f', version))
    keep(0)
  end
end

local purse = { fc = got[3], fb = got[4], fs = got[5], fm = got[6] }
if funds and (not got[2] or tonumber(funds.fv) > tonumber(got[2])) then
  -- Funds come by several ways and out of order: only a newer version counts.
  purse = funds
  redis.call('HSET', hash, 'fv', funds.fv, 'fc', funds.fc, 'fb', funds.fb, 'fs', funds.fs, 'fm', funds.fm)
  keep(0)
end
-- A call of a month gone by counts into the current one: the safe side.
if funds and mode ~= 'x' and month > sums.m then
  sums.m, sums.mh, sums.mp = month, ZERO, ZERO
  write_sums(sums)
  keep(0)
end

-- What the call holds itself does not stand in its own way.
local own = ZERO
local function load_window(rule, text)
  rule.known = text and true or false
  rule.window = read_window(rule.field, text, rule.seconds)
  local window = rule.window
  if mode == 'x' and window and window.began > since then rule.window = nil end
  if call and rule.window and window.began <= call.since
    and string.find(call.fields .. ' ', ' ' .. rule.field .. ' ', 1, true) then
    window.held = window.held - own
  end
end
if call then
  own = call.sum
  add_to_sums(sums, call, ZERO - own)
end
for index, rule in ipairs(rules) do load_window(rule, got[FIXED + index]) end
for index, rule in ipairs(cover) do load_window(rule, got[FIXED + #rules + index]) end

-- Micro-Credits of an amount that nobody used or holds; yuan are compared as Credits.
local function left_in(rule)
  if not rule.window then return rule.limit * factor end
  return (rule.limit - read(rule.window.used)) * factor - rule.window.held
end

local function uses(rule)
  if rule.dimension == 'a' then return costs end
  if rule.dimension == 'i' or rule.dimension == 'v' then return takes[rule.dimension] > 0 end
  return true
end

local function admits(rule)
  if rule.dimension == 'a' then
    if rule.limit <= ZERO and ZERO < want then return false end
    return least <= left_in(rule)
  end
  if rule.limit <= 0 then return false end
  local used = rule.window and tonumber(rule.window.used) or 0
  if used + takes[rule.dimension] <= rule.limit then return true end
  -- A call whose estimate alone is over the limit could never pass; it has a fresh window for itself.
  return rule.dimension == 't' and used == 0
end

-- One second is a guess: running calls hold what is missing, and most of them give something back.
local GUESS_MS = 1000
local function wait_for(rule)
  if not rule.window then return rule.seconds * 1000 end
  if rule.dimension == 'a' and ZERO < rule.limit
    and least <= (rule.limit - read(rule.window.used)) * factor then
    return GUESS_MS
  end
  return rule.window.ends - now
end

-- The first rule that does not admit the call, and the wait until the last one does.
local function find_refusal(list)
  local first, wait
  for index, rule in ipairs(list) do
    if uses(rule) and not admits(rule) then
      first = first or index
      wait = math.max(wait or 0, wait_for(rule))
    end
  end
  return first, wait
end

local function refuse(reason, index, one, other, wait)
  return string.format('R %s %d %s %s %.0f', reason, index, one, other, wait)
end

local function refuse_window(reason, list, index, wait)
  local window = list[index].window
  return refuse(reason, index, window and window.used or '0', window and write(window.held) or '0', wait)
end

if mode == 'e' then
  redis.call('ZREMRANGEBYSCORE', slots, '-inf', string.format('%.0f', now - SLOT_MS))
  if concurrency ~= '-' then
    local count = redis.call('ZCARD', slots)
    if count >= tonumber(concurrency) then return refuse('concurrency', 0, count, '0', GUESS_MS) end
  end
end

local covers, cover_wait
local committed = read(purse.fc)
if exchange then committed = committed + read(purse.fb) * factor end
local available = committed - sums.p - sums.h
local month_used = sums.mp + sums.mh
if purse.fm == sums.m then month_used = month_used + read(purse.fs) * factor end
local under_cap = cap * factor - month_used

local payer = '-'
if mode ~= 'x' then
  if covered then covers, cover_wait = find_refusal(cover) end
  local refused, wait = find_refusal(rules)
  if refused then
    -- When nobody else pays, the coverage must open too before the call can enter.
    if covers and not payable then wait = math.max(wait, cover_wait) end
    return refuse_window(rules[refused].dimension, rules, refused, wait)
  end
  if costs and covered and not covers then
    payer = 's'
  elseif costs and payable then
    payer = 'c'
    if available < least then return refuse('credits', 0, write(committed), write(sums.p + sums.h), 0) end
    if ZERO < cap and under_cap < least then return refuse('cap', 0, write(month_used), '0', 0) end
  elseif costs then
    return refuse_window('coverage', cover, covers, cover_wait)
  end
else
  payer = covered and 's' or 'c'
end

-- As much of what is wanted as every pot has left; when that is less, the first of the emptiest is named.
local grant, short = want, '-'
local function narrow(left, bound)
  if left < grant then grant, short = left, bound end
end
if costs then
  for _, rule in ipairs(rules) do
    if rule.dimension == 'a' and (rule.window or mode ~= 'x') then narrow(left_in(rule), 'a') end
  end
  if payer == 's' then
    for _, rule in ipairs(cover) do
      if rule.window or mode ~= 'x' then narrow(left_in(rule), 's') end
    end
  else
    narrow(available, 'c')
    if mode == 'x' and month ~= sums.m then
      -- What the month gone by had left is no longer known, and the cap is a hard bound.
      if ZERO < cap then narrow(own, 'm') end
    elseif ZERO < cap then
      narrow(under_cap, 'm')
    end
  end
  -- A hold that stands is not made smaller.
  if grant < own and mode == 'x' then grant = own end
  if grant < ZERO then grant = ZERO end
else
  grant = ZERO
end

-- From here on everything is taken.
local writes = {}
local function put(field, text)
  writes[#writes + 1] = field
  writes[#writes + 1] = text
end

local held_in, longest, fresh = '', 0, false
local function hold_in(rule)
  local window = rule.window
  if not window then
    if mode == 'x' then return end
    window = new_window(rule.seconds)
    if not rule.known then fresh = true end
  end
  if rule.dimension == 'a' then
    window.held = window.held + grant
    held_in = held_in .. ' ' .. rule.field
  else
    window.used = string.format('%.0f', tonumber(window.used) + takes[rule.dimension])
  end
  longest = math.max(longest, rule.seconds)
  put(rule.field, window_text(window))
end
for _, rule in ipairs(rules) do
  if uses(rule) then hold_in(rule) end
end
for _, rule in ipairs(cover) do
  if payer == 's' then hold_in(rule) end
end

if call and mode == 'r' then
  -- Windows of the old terms that the new ones do not name, or do not use, give back what was held there.
  for field in string.gmatch(call.fields, '%S+') do
    if not string.find(held_in .. ' ', ' ' .. field .. ' ', 1, true) then
      local window = find_window(field)
      if window and window.began <= call.since then
        window.held = window.held - own
        put(field, window_text(window))
      end
    end
  end
end

local of_month = payer == 'c' and (mode == 'x' and month or sums.m) or '-'
local next_call = {
  state = 'r', sum = grant, month = of_month, fields = held_in,
  entered = mode == 'e' and now or entered,
  since = mode == 'x' and since or now,
}
add_to_sums(sums, next_call, grant)
put('h', write(sums.h))
put('p', write(sums.p))
put('m', sums.m)
put('mh', write(sums.mh))
put('mp', write(sums.mp))
put('c:' .. id, call_text(next_call))
redis.call('HSET', hash, unpack(writes))
redis.call('ZADD', leases, string.format('%.0f', now + LEASE_MS), id)
if mode == 'e' then
  redis.call('ZADD', slots, string.format('%.0f', now), id)
  redis.call('PEXPIRE', slots, string.format('%.0f', SLOT_MS))
end
keep(longest)

-- Windows that ended are dropped when the hash has doubled since the last time: rarely, and never piling up.
if fresh then
  local size, bound = redis.call('HLEN', hash), tonumber(redis.call('HGET', hash, 'n') or '256')
  if size > bound then
    local all = redis.call('HGETALL', hash)
    for index = 1, #all, 2 do
      if string.sub(all[index], 1, 2) == 'w:' and tonumber(string.match(all[index + 1], ' (%S+)')) <= now then
        redis.call('HDEL', hash, all[index])
        size = size - 1
      end
    end
    redis.call('HSET', hash, 'n', string.format('%.0f', math.max(256, size * 2)))
  end
end

return string.format('E %s %s %s %s %.0f', payer, write(grant), short, of_month, now)
