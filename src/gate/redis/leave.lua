-- A call leaves (`l`), or is undone because it is not made or the answer to its entry got lost (`u`); the store
-- has settled calls (`s`); calls go on (`n`); an account has a new version (`v`). A repetition changes nothing.
local longest
local NO_SUMS = { 'k' }

local function drop_call(id)
  put('c:' .. id, false)
  redis.call('ZREM', leases, id)
end

local function mark(id)
  if is_marked(id) or not remembers_more('d') then return end
  put('d:' .. id, '1')
  count('d', 1)
  redis.call('ZADD', leases, format('%d', now + SLOT_MS), 'd:' .. id)
end

-- It is no longer one of those that were given up: it ends, or goes on.
local function take_back(call)
  if call and call.state == 'g' then count('g', -1) end
end

local function leave()
  -- Sent for the first time (0), again (1), or for the first time after another message got lost (2).
  --@ take leaving
  local again = told == '1'
  local corrections, fields = {}, { 'c:' .. id, 'd:' .. id, unpack(month == '-' and NO_SUMS or SUMS) }
  for index = 1, take_number() do
    --@ take correction
    corrections[index] = { kind = kind, field = field, difference = difference }
    fields[#fields + 1] = field
  end
  free_slots(id, scopes)
  load(fields)
  -- The first message arrives after the second one.
  if is_marked(id) and not again then return end
  local call = find_call(id)
  if told ~= '0' then mark(id) end
  -- A repetition, and the call is gone: the first message arrived, and only its answer was lost.
  if not call and again or call and call.state == 'p' then return end
  turn_month(month)
  if call then
    if call.month ~= '-' then month = call.month end
    take_back(call)
    release(call)
  end
  for _, correction in ipairs(corrections) do
    local kind, field, difference = correction.kind, correction.field, correction.difference
    local seconds = seconds_of(field)
    local window = find_window(field, seconds)
    if kind == 'm' and not window then
      -- The call produced images without expecting any, so it uses the dimension now.
      window = new_window(seconds)
      longest = max(longest, seconds)
    end
    if kind == 'a' and window and began_by(window, since) then
      window.used = write(read(window.used) + read(difference))
      put(field, window_text(window))
    elseif kind == 'm' or kind == 'n' and window and began_by(window, entered) then
      window.used = format('%d', max(0, tonumber(window.used) + tonumber(difference)))
      put(field, window_text(window))
    end
  end
  if ZERO < charge then
    local pending = {
      state = 'p', sum = charge, month = month, entered = entered, since = since, scopes = '-', fields = '',
    }
    add_to_sums(pending, charge)
    put_call(id, pending)
    redis.call('ZADD', leases, format('%d', now + KEEP_MS), id)
  else
    drop_call(id)
  end
  write_sums()
end

local function undo()
  --@ take undone
  free_slots(id, scopes)
  local call = find_call(id)
  if told ~= '0' then mark(id) end
  if not call or call.state == 'p' then return end
  take_back(call)
  release(call)
  for _ = 1, take_number() do
    --@ take used
    local window = find_window(field, seconds_of(field))
    if window and began_by(window, call.entered) then
      if taken > 0 then window.used = format('%d', max(0, tonumber(window.used) - taken)) end
      -- A window that only this call has used has not begun.
      local unused = tonumber(window.began) == call.entered and window.used == '0' and write(window.held) == '0'
      put(field, not unused and window_text(window))
    end
  end
  drop_call(id)
  write_sums()
end

-- A call of a dead process never leaves, but its cost still counts.
local function count_in_windows(call, spent)
  for field in gmatch(call.fields, '%S+') do
    local window = find_window(field, seconds_of(field))
    if window and began_by(window, call.since) then
      window.used = write(read(window.used) + read(spent))
      put(field, window_text(window))
    end
  end
end

local function settle()
  local funds = read_funds()
  local ids, amounts, fields = {}, {}, { 'fv', 'fm', unpack(SUMS) }
  for index = 1, take_number() do
    --@ take settled
    ids[index], amounts[index] = id, spent
    fields[#fields + 1] = 'c:' .. id
  end
  load(fields)
  take_funds(funds)
  for index, id in ipairs(ids) do
    local call = find_call(id)
    if call then
      local ended, spent = call.state == 'p', amounts[index]
      release(call)
      if not ended and spent == '-' then
        -- Its process is alive: the call will leave, and correct its windows.
        put_call(id, call)
      else
        if not ended then
          count_in_windows(call, spent)
          free_slots(id, call.scopes)
        end
        take_back(call)
        drop_call(id)
      end
    end
  end
  write_sums()
end

-- A server that lost its memory learns from running processes what is held and which slots are taken.
local function renew()
  load(SUMS)
  for _ = 1, take_number() do
    --@ take running
    local fields = ''
    for _ = 1, take_number() do
      --@ take field
      fields = fields .. ' ' .. field
    end
    local call = find_call(id)
    if (not call or call.state == 'g') and not is_marked(id) then
      take_back(call)
      call = {
        state = 'r', sum = held, month = month, entered = entered, since = since, scopes = scopes, fields = fields,
      }
      turn_month(month)
      add_to_sums(call, held)
      add_to_windows(call, held)
      put_call(id, call)
      take_slots(id, call)
    end
    if call and call.state == 'r' then redis.call('ZADD', leases, format('%d', now + LEASE_MS), id) end
  end
  write_sums()
end

local function raise_version()
  --@ take version
  if version > tonumber(get('v') or '-1') then put('v', format('%d', version)) end
end

