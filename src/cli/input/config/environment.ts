import { BadInput, type Definition, integer, number, type Shape, show } from '../../../core/index.ts';
import { parseJson } from '../parse-json.ts';
import { Refusal } from '../refusal.ts';
import { readNumberOr } from '../values.ts';
import type { Given, Source } from './sources.ts';

/** The names of seed 002. */
const NAMES = {
  VOTER_ID: 'id',
  VOTER_URL: 'url',
  VOTER_LIST: 'peers',
  SEED_HOST: 'seedHost',
} as const;

const MS_PER_S = 1000;
const LONGEST_S = 1_000_000;
/** One more than tolerated is missed, and one may be in flight. */
const SLACK = 2;
const USUAL_TOLERANCE = 1;

/** The settings of the environment, by the names of seed 002. An empty variable counts as unset. */
export function fromEnvironment(env: NodeJS.ProcessEnv): Source {
  const source = new Map<string, Given>();
  for (const [name, field] of Object.entries(NAMES)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    source.set(field, { value: field === 'peers' ? readList(text) : text, from: name });
  }
  return source;
}

/** The two times of seed 002, as settings of this protocol. */
export function timesFromEnvironment(env: NodeJS.ProcessEnv, definition: Definition): Source {
  const source = new Map<string, Given>();
  const heartbeatS = read(env, 'HEARTBEAT_INTERVAL', number(0.001, LONGEST_S));
  const heartbeatMs = heartbeatS === null ? null : heartbeatS * MS_PER_S;
  const tolerance = read(env, 'MISSED_HEARTBEAT_TOLERANCE', integer(0, 1000));
  if (heartbeatMs !== null)
    source.set('timing.heartbeatMs', { value: heartbeatMs, from: 'HEARTBEAT_INTERVAL' });
  if ('missedHeartbeatTolerance' in definition.options) {
    if (tolerance !== null) {
      source.set('options.missedHeartbeatTolerance', {
        value: tolerance,
        from: 'MISSED_HEARTBEAT_TOLERANCE',
      });
    }
    return source;
  }
  if (heartbeatMs === null) {
    if (tolerance === null) return source;
    throw new Refusal('MISSED_HEARTBEAT_TOLERANCE: expected HEARTBEAT_INTERVAL with it, found none');
  }
  // If a protocol counts no heartbeats, its timeout is that many of them.
  const leastMs = heartbeatMs * ((tolerance ?? USUAL_TOLERANCE) + SLACK);
  const from = tolerance === null ? 'HEARTBEAT_INTERVAL' : 'MISSED_HEARTBEAT_TOLERANCE';
  source.set('timing.timeoutMs', { value: [leastMs, 2 * leastMs], from });
  return source;
}

/** An empty variable counts as unset. */
function read(env: NodeJS.ProcessEnv, name: string, shape: Shape<number>): number | null {
  return readNumberOr(env[name] || undefined, name, shape, null);
}

/**
 * JSON with `voterId` and `voterUrl`, or ID=URL,ID=URL. The seed's documentation writes each voter as two objects in
 * a pair of braces, which is not JSON; that form is accepted too.
 */
function readList(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return text;
  const repaired = text
    .replace(/\{\s*\{/g, '{')
    .replace(/\}\s*\}/g, '}')
    .replace(/\}\s*,\s*\{(\s*"voterUrl")/g, ',$1');
  try {
    return parseJson(repaired);
  } catch (error) {
    if (error instanceof Refusal)
      throw new BadInput('VOTER_LIST', 'a list in JSON, or ID=URL,ID=URL', show(text));
    throw error;
  }
}
