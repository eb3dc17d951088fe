-- Whether the cost of ended calls beyond their holds (`o`) can be taken: `1` if the funds pay it and all that
-- other calls hold or owe, or if no other call holds or owes anything; else `0`. Nothing is written.
--@ take overrun
local charges, due, ids, fields = ZERO, {}, {}, { 'fc', 'fb', 'fs', 'fm', unpack(SUMS) }
for index = 1, take_number() do
  --@ take charge
  ids[index], due[index] = id, charge
  fields[#fields + 1] = 'c:' .. id
  charges = charges + charge
end
load(fields)
read_sums()

-- The part of the charges that counts into the current month.
local month_charges, is_past = ZERO, false
for index, id in ipairs(ids) do
  local call = find_call(id)
  -- Its end is on its way: until then another call could be granted what it owes.
  if call and call.state == 'r' then return '0' end
  if call then add_to_sums(call, ZERO - call.sum) end
  if (call and call.month or month) == sums.m then month_charges = month_charges + due[index] else is_past = true end
end
-- Expired leases count for nothing, also if no call has entered since.
local LAPSED_AT_ONCE = 200
for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', format('%d', now), 'LIMIT', 0, LAPSED_AT_ONCE)) do
  local call = find_call(id)
  if call then add_to_sums(call, ZERO - call.sum) end
end

local others = sums.h + sums.p
if others <= ZERO then return '1' end
local committed = read(get('fc'))
if exchange then committed = committed + read(get('fb')) * factor end
if committed < others + charges then return '0' end
-- What a past month had left under its cap is not known: other calls of past months are settled first.
if ZERO < cap and is_past and sums.mh + sums.mp < others then return '0' end
if ZERO < cap and month == sums.m then
  local used = sums.mh + sums.mp + month_charges
  if get('fm') == sums.m then used = used + read(get('fs')) * factor end
  if cap * factor < used then return '0' end
end
return '1'
