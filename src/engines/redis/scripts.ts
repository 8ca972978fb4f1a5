import { createHash } from 'node:crypto';

/** A script that Redis runs atomically. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * Shared by all scripts. KEYS: the lease, the counter, the value. ARGV: the holder, its attempt, the channel, then
 * the script's own. A lease belongs to the holder while it has its name and the number of the attempt that took it:
 * this pair is never used again, so a late script finds that the lease is not its own.
 *
 * Every renewal changes the mark of a lease: the time of its end, and the number of the renewal, unless the memory is
 * too full to write it. A user with permissions from before this rule may not read the end; then there is no mark,
 * and only Redis expires the lease.
 */
const SHARED = `
local lease, fence, kept = KEYS[1], KEYS[2], KEYS[3]
local holder, attempt, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local function whose()
  local found = redis.call('HMGET', lease, 'holder', 'attempt')
  return found[1], tonumber(found[2] or '')
end

local function isOurs()
  local by, try = whose()
  return by == holder and try == attempt
end

local function tell(what)
  redis.call('PUBLISH', channel, what .. ' ' .. holder .. ' ' .. ARGV[2])
end

local function counter()
  local text = redis.call('GET', fence) or '0'
  if not text:match('^%d+$') then error(fence .. ' holds no number', 0) end
  if #text > 16 then error(fence .. ' is used up', 0) end
  return tonumber(text)
end

local function count(to)
  if to > 9007199254740991 then error(fence .. ' is used up', 0) end
  redis.call('SET', fence, string.format('%.0f', to))
end

local function raise(token)
  if counter() < token then count(token) end
end

local function keep(value, version, token)
  local found = redis.call('HMGET', kept, 'version', 'token')
  local oldVersion, oldToken = tonumber(found[1] or '') or 0, tonumber(found[2] or '') or 0
  if tonumber(token) < oldToken then return false end
  if tonumber(token) == oldToken and tonumber(version) <= oldVersion then return false end
  redis.call('HSET', kept, 'value', value, 'version', version, 'token', token)
  return true
end

local function mark()
  local endsAt = redis.pcall('PEXPIRETIME', lease)
  if type(endsAt) ~= 'number' or endsAt < 0 then return '' end
  local held = redis.call('HMGET', lease, 'holder', 'attempt', 'beat')
  return table.concat({held[1] or '', held[2] or '', held[3] or '', string.format('%.0f', endsAt)}, ' ')
end

local function look(isGranted)
  local held = redis.call('HMGET', lease, 'holder', 'attempt', 'leader', 'token', 'lasts')
  local value = redis.call('HMGET', kept, 'value', 'version', 'token')
  return {isGranted, held[1], held[2], held[3], held[4], redis.call('PTTL', lease),
    redis.call('GET', fence), value[1], value[2], value[3], held[5], mark()}
end
`;

function script(text: string): Script {
  const whole = `${SHARED}${text}`;
  return { text: whole, sha: createHash('sha1').update(whole).digest('hex') };
}

export const read: Script = script(`return look(0)`);

/**
 * Takes the lease if it is free, or if an earlier attempt of the same holder has it. The token is greater than the
 * counter and than the greatest that the client has seen, and no less than the milliseconds of this server's clock: a
 * server that has lost its data, or a replica that lagged behind, continues above earlier tokens. ARGV: leader,
 * leaseMs, seen, `1` if there are no other masters, the mark of a lease that has expired although Redis still has it. And
 * a value that is published with it if the last one still has this version (or is empty): version, value, its own
 * version, and the text in it that is replaced by the token.
 */
export const take: Script = script(`
local by, try = whose()
local isOver = ARGV[8] ~= '' and ARGV[8] == mark()
if by and not isOver and not (by == holder and try and try < attempt) then return look(0) end
local now = redis.call('TIME')
local nowMs = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
count(math.max(counter() + 1, tonumber(ARGV[6]) + 1, nowMs))
redis.call('DEL', lease)
redis.call('HSET', lease, 'holder', holder, 'attempt', ARGV[2], 'leader', ARGV[4], 'lasts', ARGV[5])
redis.call('PEXPIRE', lease, ARGV[5])
if ARGV[7] == '1' then
  local token = redis.call('GET', fence)
  redis.call('HSET', lease, 'token', token)
  if ARGV[10] ~= '' and (redis.call('HGET', kept, 'version') or '0') == ARGV[9] then
    keep(string.gsub(ARGV[10], ARGV[12], '"' .. token .. '"'), ARGV[11], token)
  end
  tell('won')
end
return look(1)`);

/**
 * Writes the token of a lease that was taken, and passes on the newest value. ARGV: token, value, version, token of
 * the value.
 */
export const confirm: Script = script(`
if not isOurs() then return 0 end
raise(tonumber(ARGV[4]))
redis.call('HSET', lease, 'token', ARGV[4])
if ARGV[7] ~= '' then keep(ARGV[5], ARGV[6], ARGV[7]) end
tell('won')
return 1`);

/**
 * Renews any number of leases of one holder. KEYS: the lease and the counter of each. ARGV: leaseMs, the number of this
 * renewal, then attempt and token of each. An answer for each: an error in one leaves the others alone.
 *
 * The counter is raised in any case: it may have been lost, and must not fall behind. If the lease is ours, the answer
 * contains a request to resign, if there is one. Values that are already there are not written: a server whose memory
 * is full would refuse that.
 */
export const renew: Script = script(`
local function one(token)
  raise(tonumber(token))
  if not isOurs() then return {redis.call('EXISTS', lease) == 1 and 'other' or 'none'} end
  if redis.call('HGET', lease, 'token') ~= token then redis.call('HSET', lease, 'token', token) end
  redis.pcall('HSET', lease, 'beat', ARGV[5])
  redis.call('PEXPIRE', lease, ARGV[4])
  return {'ours', redis.call('HMGET', lease, 'asked')[1]}
end
local answers = {}
for i = 1, #KEYS / 2 do
  lease, fence, attempt = KEYS[2 * i - 1], KEYS[2 * i], tonumber(ARGV[2 * i + 4])
  local isDone, answer = pcall(one, ARGV[2 * i + 5])
  if not isDone then answer = {'failed', type(answer) == 'table' and answer.err or tostring(answer)} end
  answers[i] = answer
end
return answers`);

/** Stores a request in the lease that has this token; it vanishes with the lease. ARGV: token, reason. */
export const ask: Script = script(`
local by, try = whose()
if not by or redis.call('HMGET', lease, 'token')[1] ~= ARGV[4] then return 0 end
redis.call('HSET', lease, 'asked', ARGV[5])
redis.call('PUBLISH', channel, 'asked ' .. by .. ' ' .. string.format('%.0f', try or 0))
return 1`);

/** Restores a lease on a master that lacks it. ARGV: leader, leaseMs, token, value, version, token of the value. */
export const mend: Script = script(`
if redis.call('EXISTS', lease) == 1 then return 0 end
raise(tonumber(ARGV[6]))
redis.call('HSET', lease, 'holder', holder, 'attempt', ARGV[2], 'leader', ARGV[4], 'token', ARGV[6],
  'lasts', ARGV[5])
redis.call('PEXPIRE', lease, ARGV[5])
if ARGV[9] ~= '' then keep(ARGV[7], ARGV[8], ARGV[9]) end
return 1`);

/** Frees the lease, also if an earlier attempt of ours holds it. ARGV: `1` to wake waiting candidates. */
export const release: Script = script(`
local by, try = whose()
if by ~= holder or not try or try > attempt then return 0 end
redis.call('DEL', lease)
if ARGV[4] == '1' then tell('freed') end
return 1`);

/** ARGV: value, version, token. A late value, after a newer one, is refused. */
export const publish: Script = script(`
if not isOurs() then return 0 end
if not keep(ARGV[4], ARGV[5], ARGV[6]) then error('a newer value is there', 0) end
redis.call('PUBLISH', channel, 'value ' .. holder .. ' ' .. ARGV[2] .. ' ' .. ARGV[5])
return 1`);
