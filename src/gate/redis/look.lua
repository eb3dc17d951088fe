-- Reads the state of limits (`k`): the slots in use, and for each window what is used, what is held and when it
-- ends. Nothing is written.
local mode, scope = take(), take()
local fields = {}
for index = 1, take_number() do fields[index] = take() end
if #fields > 0 then load(fields) end
local taken = redis.call('ZCOUNT', slots_of(scope), '(' .. format('%.0f', now - SLOT_MS), '+inf')
local told = { mode, format('%.0f', taken) }
for _, field in ipairs(fields) do
  local window = find_window(field, seconds_of(field))
  if window then
    told[#told + 1] = format('%s %s %.0f', window.used, write(window.held), window.ends - now)
  else
    told[#told + 1] = '0 0 -'
  end
end
return table.concat(told, ' ')
