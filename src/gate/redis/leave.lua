-- A call leaves (`l`), or is taken back because nobody heard that it had entered (`u`); the store has settled
-- calls (`s`); calls go on (`n`); an account has a new version (`v`). Each changes nothing when it is told again.
local mode = take()

local function drop_call(id)
  redis.call('HDEL', hash, 'c:' .. id)
  redis.call('ZREM', leases, id)
end

-- Adds to a window if it is the one that was running at `moment`; a count never falls below 0.
local function correct(field, moment, difference)
  local window = find_window(field)
  if not window or window.began > moment then return end
  window.used = string.format('%.0f', math.max(0, tonumber(window.used) + difference))
  redis.call('HSET', hash, field, window_text(window))
end

local function leave()
  local again, id = take() == '1', take()
  local entered, since, charge, month = take_number(), take_number(), take_amount(), take()
  redis.call('ZREM', slots, id)
  local call = read_call(redis.call('HGET', hash, 'c:' .. id))
  -- Told again and the call is gone: it was heard the first time, and only the answer was lost.
  if not call and again or call and call.state == 'p' then return end
  local sums = read_sums()
  if sums.m == '0' and month ~= '-' then sums.m = month end
  if call then
    month = call.month == '-' and month or call.month
    release(sums, call)
  end
  local longest = 0
  for _ = 1, take_number() do
    local kind, field, text = take(), take(), take()
    if kind == 'n' then
      correct(field, entered, tonumber(text))
    elseif kind == 'a' then
      local window = find_window(field)
      if window and window.began <= since then
        window.used = write(read(window.used) + read(text))
        redis.call('HSET', hash, field, window_text(window))
      end
    else
      -- Who asked for no image and made some uses the dimension now.
      local seconds = seconds_of(field)
      local window = find_window(field) or new_window(seconds)
      window.used = string.format('%.0f', tonumber(window.used) + tonumber(text))
      redis.call('HSET', hash, field, window_text(window))
      longest = math.max(longest, seconds)
    end
  end
  if ZERO < charge then
    local pending = { state = 'p', sum = charge, month = month, entered = entered, since = since, fields = '' }
    add_to_sums(sums, pending, charge)
    redis.call('HSET', hash, 'c:' .. id, call_text(pending))
    redis.call('ZADD', leases, string.format('%.0f', now + KEEP_MS), id)
  else
    drop_call(id)
  end
  write_sums(sums)
  keep(longest)
end

local function undo()
  local id = take()
  redis.call('ZREM', slots, id)
  local call = read_call(redis.call('HGET', hash, 'c:' .. id))
  if not call or call.state == 'p' then return end
  local sums = read_sums()
  release(sums, call)
  for _ = 1, take_number() do
    local field, difference = take(), take_number()
    if difference > 0 then correct(field, call.entered, -difference) end
    -- A window that only this call has used has not begun.
    local window = find_window(field)
    if window and window.began == call.entered and window.used == '0' and write(window.held) == '0' then
      redis.call('HDEL', hash, field)
    end
  end
  drop_call(id)
  write_sums(sums)
end

local function settle()
  local funds = take_funds()
  local known = redis.call('HGET', hash, 'fv')
  if not known or tonumber(funds.fv) > tonumber(known) then
    redis.call('HSET', hash, 'fv', funds.fv, 'fc', funds.fc, 'fb', funds.fb, 'fs', funds.fs, 'fm', funds.fm)
  end
  local sums = read_sums()
  for _ = 1, take_number() do
    local id = take()
    local call = read_call(redis.call('HGET', hash, 'c:' .. id))
    if call then
      local running = call.state == 'r'
      release(sums, call)
      -- A call that is settled before it has left still has its windows to correct.
      if running then redis.call('HSET', hash, 'c:' .. id, call_text(call)) else drop_call(id) end
    end
  end
  write_sums(sums)
  keep(0)
end

-- A server that lost its memory learns from whoever is still running what is held.
local function renew()
  local sums = read_sums()
  for _ = 1, take_number() do
    local id, held, month, entered, since = take(), take_amount(), take(), take_number(), take_number()
    local fields = ''
    for _ = 1, take_number() do fields = fields .. ' ' .. take() end
    local call = read_call(redis.call('HGET', hash, 'c:' .. id))
    if not call then
      call = { state = 'r', sum = held, month = month, entered = entered, since = since, fields = fields }
      if sums.m == '0' and month ~= '-' then sums.m = month end
      add_to_sums(sums, call, held)
      add_to_windows(call, held)
      redis.call('HSET', hash, 'c:' .. id, call_text(call))
    end
    if call.state == 'r' then redis.call('ZADD', leases, string.format('%.0f', now + LEASE_MS), id) end
  end
  write_sums(sums)
  keep(0)
end

local function raise_version()
  local version = take_number()
  local known = tonumber(redis.call('HGET', hash, 'v') or '-1')
  if version <= known then return end
  redis.call('HSET', hash, 'v', string.format('%.0f', version))
  keep(0)
end

local tell = { l = leave, u = undo, s = settle, n = renew, v = raise_version }
tell[mode]()
return 'OK'
