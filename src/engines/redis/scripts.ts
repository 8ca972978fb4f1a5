import { createHash } from 'node:crypto';

/** A program that Redis runs as one step, in which nothing else happens. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/**
 * What all of them share. KEYS: the lease, the counter, the value. ARGV: the holder, its attempt, the channel, then their own.
 * A lease is the holder's while it bears its name and the number of the attempt that took it: both together are never used
 * again, so whatever comes late finds that it is not.
 *
 * Every renewal changes the mark of a lease: by when it ends, and by its own number, where the memory is not too full to write it.
 * A user whose rights are from before that was needed may not ask for the end; then there is no mark, and only Redis counts.
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
 * Takes it if it is free, or if an earlier attempt of the same holder has got it. The token is greater than the counter and than
 * the greatest that the client has seen, and no less than the milliseconds of this server's clock: a server that has
 * lost its data, or a replica that lagged behind, goes on above what was given before. ARGV: leader, leaseMs, seen, `1` if no
 * other master has a say, the mark of a lease that is over although Redis does not know it.
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
  redis.call('HSET', lease, 'token', redis.call('GET', fence))
  tell('won')
end
return look(1)`);

/** Gives what was taken its token, and passes on the newest value. ARGV: token, value, version, token of the value. */
export const confirm: Script = script(`
if not isOurs() then return 0 end
raise(tonumber(ARGV[4]))
redis.call('HSET', lease, 'token', ARGV[4])
if ARGV[7] ~= '' then keep(ARGV[5], ARGV[6], ARGV[7]) end
tell('won')
return 1`);

/**
 * ARGV: token, leaseMs, the number of this renewal. The counter is raised in any case: it may have been lost, and must not fall behind. What is ours comes with
 * why an operator asks for it, if one does. Nothing has to be written that is there already: a server whose memory is full
 * refuses to.
 */
export const renew: Script = script(`
raise(tonumber(ARGV[4]))
if not isOurs() then return {redis.call('EXISTS', lease) == 1 and 'other' or 'none'} end
if redis.call('HGET', lease, 'token') ~= ARGV[4] then redis.call('HSET', lease, 'token', ARGV[4]) end
redis.pcall('HSET', lease, 'beat', ARGV[6])
redis.call('PEXPIRE', lease, ARGV[5])
return {'ours', redis.call('HMGET', lease, 'asked')[1]}`);

/** Leaves a request in the lease that has this token, with which it goes away. ARGV: token, reason. */
export const ask: Script = script(`
local by, try = whose()
if not by or redis.call('HMGET', lease, 'token')[1] ~= ARGV[4] then return 0 end
redis.call('HSET', lease, 'asked', ARGV[5])
redis.call('PUBLISH', channel, 'asked ' .. by .. ' ' .. string.format('%.0f', try or 0))
return 1`);

/** Puts in what one of several masters lacks. ARGV: leader, leaseMs, token, value, version, token of the value. */
export const mend: Script = script(`
if redis.call('EXISTS', lease) == 1 then return 0 end
raise(tonumber(ARGV[6]))
redis.call('HSET', lease, 'holder', holder, 'attempt', ARGV[2], 'leader', ARGV[4], 'token', ARGV[6],
  'lasts', ARGV[5])
redis.call('PEXPIRE', lease, ARGV[5])
if ARGV[9] ~= '' then keep(ARGV[7], ARGV[8], ARGV[9]) end
return 1`);

/** Frees it, also if an earlier attempt of ours holds it. ARGV: `1` to wake those who wait. */
export const release: Script = script(`
local by, try = whose()
if by ~= holder or not try or try > attempt then return 0 end
redis.call('DEL', lease)
if ARGV[4] == '1' then tell('freed') end
return 1`);

/** ARGV: value, version, token. One that comes late, after a newer one, does nothing. */
export const publish: Script = script(`
if not isOurs() then return 0 end
if not keep(ARGV[4], ARGV[5], ARGV[6]) then error('a newer value is there', 0) end
redis.call('PUBLISH', channel, 'value ' .. holder .. ' ' .. ARGV[2] .. ' ' .. ARGV[5])
return 1`);
