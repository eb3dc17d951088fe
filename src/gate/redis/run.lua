-- Does the operations of this run in their order. Each is answered by one line; one that failed by `!` and the
-- reason, and the others are not affected.
local function finish(operation)
  return function()
    longest = 0
    operation()
    flush(longest)
    return 'OK'
  end
end

-- Whether the server can be written (`w`): it leaves nothing behind.
local function try_writing()
  redis.call('HSET', hash, 'look', '1')
  redis.call('HDEL', hash, 'look')
  forget()
end

local OPERATIONS = {
  e = enter, x = enter, r = enter, k = look, o = covers,
  l = finish(leave), u = finish(undo), s = finish(settle), n = finish(renew), v = finish(raise_version),
  w = finish(try_writing),
}

local function run(index)
  take_line(ARGV[index])
  --@ take head
  begin(KEYS[index], time)
  local answer = OPERATIONS[mode](mode)
  if next(changed) then forget() end
  return answer
end

local answers = {}
for index, key in ipairs(KEYS) do
  local done, answer = pcall(run, index)
  if not done then
    hashes[key] = nil
    local reason = type(answer) == 'table' and answer.err or tostring(answer)
    -- The client reconnects when the whole run fails with this.
    if find(reason, '^READONLY') then return redis.error_reply(reason) end
    answer = '!' .. reason
  end
  answers[index] = answer
end
return answers
