-- Reads the state of limits (`k`): the slots in use, and for each window what is used, what is held and when it
-- ends. Nothing is written.
--@ take look
local fields = {}
for index = 1, take_number() do
  --@ take field
  fields[index] = field
end
if #fields > 0 then load(fields) end
local taken = redis.call('ZCOUNT', slots_of(scope), '(' .. format('%d', now - SLOT_MS), '+inf')
local told = { tell_look({ kind = mode, slots = format('%d', taken) }) }
for _, field in ipairs(fields) do
  local window = find_window(field, seconds_of(field))
  if window then
    local ends = format('%d', window.left)
    told[#told + 1] = tell_window({ used = window.used, held = write(window.held), ends = ends })
  else
    told[#told + 1] = tell_window({ used = '0', held = '0', ends = '-' })
  end
end
return table.concat(told, ' ')
