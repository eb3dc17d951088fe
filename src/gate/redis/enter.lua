-- A call enters (`e`), extends its hold (`x`), or changes its terms (`r`). Everything is checked before
-- anything is taken. Answers one line: `S` stale, `R …` refused, `E …` the hold and the payer, `N` if the call
-- beside which it enters did not enter just before.
--@ take call
local entered_before = last_entered
last_entered = nil
if beside ~= '-' and beside ~= entered_before then return 'N' end
local takes = { r = 1, t = tokens, i = images, v = videos }

local function take_rules(rules, scope)
  for _ = 1, take_number() do
    --@ take rule
    rules[#rules + 1] = {
      dimension = dimension, seconds = tonumber(seconds),
      field = 'w:' .. scope .. ':' .. dimension .. ':' .. seconds,
      limit = dimension == 'a' and read(limit) or tonumber(limit), window = nil, left = nil,
    }
  end
  return rules
end

-- The limits of the account, then those of its key. The call must pass all of them.
local scopes, rules, cover = {}, {}, {}
for index = 1, take_number() do
  --@ take scope
  scopes[index] = { name = scope, concurrency = concurrency }
  take_rules(rules, scope)
end
--@ take hold
if covered then
  --@ take coverage
  take_rules(cover, scope)
end

local fields = { 'c:' .. id, 'd:' .. id, 'v', 'k', 'z' }
if payable then
  for index, field in ipairs(OF_PAYER) do fields[5 + index] = field end
end
for _, rule in ipairs(rules) do fields[#fields + 1] = rule.field end
for _, rule in ipairs(cover) do fields[#fields + 1] = rule.field end
load(fields)

-- A dead process renews nothing: the holds and slots of its calls are given up. They are deleted after days, as
-- is a pending charge that will not be settled any more. The number per script is bounded; the next call goes
-- on from there. No lease is due before the time `z`: one that is added or renewed ends later than that.
local GIVEN_UP_AT_ONCE = 50
local look_at = tonumber(get('z') or '0')
if look_at <= now or look_at > now + LEASE_MS then
  local next_look, lost = now + LEASE_MS, false
  local first = redis.call('ZRANGE', leases, 0, GIVEN_UP_AT_ONCE, 'WITHSCORES')
  for index = 1, #first, 2 do
    local other, due = first[index], tonumber(first[index + 1])
    if due > now or index > 2 * GIVEN_UP_AT_ONCE then
      if due < next_look then next_look = max(due, now) end
      break
    end
    give_up(other)
    lost = true
  end
  put('z', format('%d', next_look))
  if lost then
    write_sums()
    flush(0)
  end
end

-- The request was sent on a connection that was given up, and its call has ended since: no one waits for it.
local at_text = format('%d', now)
if is_marked(id) then
  if mode == 'e' then return 'S' end
  return tell_held({ kind = 'E', payer = '-', held = '0', short = '-', month = '-', at = at_text, free = '0' })
end

-- This is kept for other calls too, even if this call is refused.
if mode == 'e' then
  local newest = tonumber(get('v') or '-1')
  if version < newest then return 'S' end
  if version > newest then put('v', format('%d', version)) end
end
-- If the account is unknown, old funds are not trusted, because others may have spent them: the caller reads
-- them again. A running call uses its own, which are not kept.
if payable and not just_read and not get('fv') then
  if mode == 'e' then return 'S' end
  for field, text in pairs(read_funds()) do known[field] = text end
  forget()
elseif payable then
  take_funds(read_funds())
end
--@ take wallet
if payable and mode ~= 'x' then turn_month(month) end
flush(0)

-- The call's own hold does not count against it.
local call, own = find_call(id), ZERO
-- The request was on its way when its call left: what is pending is not held again.
if call and call.state == 'p' then
  return tell_held({
    kind = 'E', payer = 'c', held = write(call.sum), short = '-', month = call.month, at = at_text, free = '0',
  })
end
if call then
  own = call.sum
  add_to_sums(call, ZERO - own)
end
local function find_running(list)
  for _, rule in ipairs(list) do
    local window = find_window(rule.field, rule.seconds)
    if window and mode == 'x' and not began_by(window, since) then window = nil end
    if window and call and began_by(window, call.since) and holds_in(call, rule.field) then
      window.held = window.held - own
    end
    rule.window = window
  end
end
find_running(rules)
find_running(cover)

-- Micro-Credits of an amount that are neither used nor held. Yuan are compared as Credits.
local function unused_in(rule)
  if not rule.window then return rule.limit * factor end
  return (rule.limit - read(rule.window.used)) * factor
end

local function left_in(rule)
  if not rule.left then
    local unused = unused_in(rule)
    rule.left = rule.window and unused - rule.window.held or unused
  end
  return rule.left
end

local function uses(rule)
  local dimension = rule.dimension
  if dimension == 'a' then return costs end
  if dimension == 'i' or dimension == 'v' then return takes[dimension] > 0 end
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
  -- A call whose estimate alone is over the limit could never pass; it gets a fresh window for itself.
  return rule.dimension == 't' and used == 0
end

-- One second is a guess: running calls hold what is missing, and most of them return a part.
local GUESS_MS = 1000
local function wait_for(rule)
  if not rule.window then return rule.seconds * 1000 end
  if rule.dimension == 'a' and ZERO < rule.limit and least <= unused_in(rule) then return GUESS_MS end
  return rule.window.left
end

-- The first rule that refuses the call, and the wait until the last one admits it.
local function find_refusal(list)
  local first, wait = nil, 0
  for index, rule in ipairs(list) do
    if uses(rule) and not admits(rule) then
      first = first or index
      wait = max(wait, wait_for(rule))
    end
  end
  return first, wait
end

-- `one` and `other` are what is used and what is held, or what there is and what is taken of it.
local function refuse(reason, index, one, other, wait)
  flush(0)
  return tell_refused({
    kind = 'R', reason = reason, place = index, one = one, other = other, wait = format('%d', wait),
    free = '0', held = '0',
  })
end

-- For Credits and cap also what is free, and what running calls hold.
local function refuse_money(reason, one, other, free)
  flush(0)
  return tell_refused({
    kind = 'R', reason = reason, place = '0', one = one, other = other, wait = '0',
    free = write(free), held = write(sums.h),
  })
end

local function refuse_window(reason, list, index, wait)
  local window = list[index].window
  return refuse(reason, index, window and window.used or '0', window and write(window.held) or '0', wait)
end

for index, scope in ipairs(scopes) do
  local limit, slots = tonumber(scope.concurrency), slots_of(scope.name)
  if mode == 'e' and limit and redis.call('ZCARD', slots) >= limit then
    redis.call('ZREMRANGEBYSCORE', slots, '-inf', format('%d', now - SLOT_MS))
    local count = redis.call('ZCARD', slots)
    if count >= limit then return refuse('concurrency', index, count, '0', GUESS_MS) end
  end
end

local committed, available, month_used, under_cap
if payable then
  read_sums()
  committed = read(get('fc'))
  if exchange then committed = committed + read(get('fb')) * factor end
  available = committed - sums.p - sums.h
  if ZERO < cap then
    month_used = sums.mp + sums.mh
    if get('fm') == sums.m then month_used = month_used + read(get('fs')) * factor end
    under_cap = cap * factor - month_used
  end
end

local payer = '-'
if mode == 'x' then
  payer = covered and 's' or 'c'
else
  local uncovered, cover_wait
  if covered then uncovered, cover_wait = find_refusal(cover) end
  local refused, wait = find_refusal(rules)
  if refused then
    -- If there is no other payer, the coverage must open too before the call can enter.
    if uncovered and not payable then wait = max(wait, cover_wait) end
    return refuse_window(rules[refused].dimension, rules, refused, wait)
  end
  if covered and not uncovered then
    payer = 's'
  elseif payable then
    payer = 'c'
    if available < least then
      return refuse_money('credits', write(committed), write(sums.p + sums.h), available)
    end
    if ZERO < cap and under_cap < least then return refuse_money('cap', write(month_used), '0', under_cap) end
  elseif costs then
    return refuse_window('coverage', cover, uncovered, cover_wait)
  end
end

-- What is left in the pot with the least. If that is less than wanted, the first such pot is named. A window
-- that ended under a running call no longer bounds it.
local grant, free, short = want, nil, '-'
local function narrow(left, bound)
  if not free or left < free then free, short = left, bound end
end
if costs then
  for _, rule in ipairs(rules) do
    if rule.dimension == 'a' and (rule.window or mode ~= 'x') then narrow(left_in(rule), 'a') end
  end
  for _, rule in ipairs(cover) do
    if payer == 's' and (rule.window or mode ~= 'x') then narrow(left_in(rule), 's') end
  end
  if payer == 'c' then
    narrow(available, 'c')
    if ZERO < cap then
      -- What a past month had left is no longer known, and the cap is a hard bound.
      narrow(mode == 'x' and month ~= sums.m and own or under_cap, 'm')
    end
  end
  if not free or want <= free then short = '-' end
  if free and mode == 'x' then
    if free < want then grant = free end
  elseif free and not (whole_if_free and want <= free) then
    -- Rule L-28: its share, or a quarter of what is free if that is more.
    local part = share < free and share or free
    if part < quarter(free) then part = quarter(free) end
    if part < want then grant = part end
  end
  -- An existing hold is not reduced.
  if mode == 'x' and grant < own then grant = own end
  if grant < ZERO then grant = ZERO end
end

-- From here on everything is taken.
local held_in, longest, fresh = '', 0, false
local function use(rule)
  local window = rule.window
  if not window then
    if mode == 'x' then return end
    fresh = fresh or not get(rule.field)
    window = new_window(rule.seconds)
  end
  if rule.dimension == 'a' then
    window.held = window.held + grant
    held_in = held_in .. ' ' .. rule.field
  else
    window.used = format('%d', tonumber(window.used) + takes[rule.dimension])
  end
  longest = max(longest, rule.seconds)
  put(rule.field, window_text(window))
end
for _, rule in ipairs(rules) do
  if uses(rule) then use(rule) end
end
for _, rule in ipairs(cover) do
  if payer == 's' then use(rule) end
end

local names = {}
for index, scope in ipairs(scopes) do names[index] = scope.name end
local next_call = {
  state = 'r', sum = grant, scopes = table.concat(names, ','), fields = held_in,
  month = payer == 'c' and (mode == 'x' and month or sums.m) or '-',
  entered = mode == 'e' and now or entered,
  since = mode == 'x' and since or now,
}
if call and mode == 'r' then
  -- Windows of the old terms that the new ones do not use get their held amount back.
  for field in gmatch(call.fields, '%S+') do
    if not holds_in(next_call, field) then
      local window = find_window(field, seconds_of(field))
      if window and began_by(window, call.since) then
        window.held = window.held - own
        put(field, window_text(window))
      end
    end
  end
end
if call and call.state == 'g' then count('g', -1) end
add_to_sums(next_call, grant)
write_sums()
put_call(id, next_call)
flush(longest)
redis.call('ZADD', leases, format('%d', now + LEASE_MS), id)
if not call or call.state == 'g' then take_slots(id, next_call) end

-- Ended windows are deleted when the hash has doubled since the last time, so the cost is small.
local SMALL = 256
if fresh then
  local size = redis.call('HLEN', hash)
  if size > tonumber(get('n') or SMALL) then
    local all = redis.call('HGETALL', hash)
    for index = 1, #all, 2 do
      if sub(all[index], 1, 2) == 'w:' and tonumber(match(all[index + 1], ' (%S+)')) <= now then
        redis.call('HDEL', hash, all[index])
        known[all[index]] = false
        size = size - 1
      end
    end
    known.n = format('%d', max(SMALL, size * 2))
    redis.call('HSET', hash, 'n', known.n)
  end
end

last_entered = id
local left_free = free and mode ~= 'x' and free - grant or ZERO
return tell_held({
  kind = 'E', payer = payer, held = write(grant), short = short, month = next_call.month, at = at_text,
  free = write(left_free),
})
