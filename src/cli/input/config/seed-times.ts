/** The two times of seed 002, heartbeat-interval and missed-heartbeat-tolerance, as settings of a protocol. */
import { BadInput, type Definition, integer, type Shape, show } from '../../../core/index.ts';
import { Refusal } from '../refusal.ts';
import { asNumber } from '../values.ts';
import { told } from './origin.ts';
import type { Given, Source } from './sources.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 1e9;
/** One more than tolerated is missed, and one may be in flight. */
const SLACK = 2;
const USUAL_TOLERANCE = 1;

/** Milliseconds. A number without a unit is in seconds, as the seed says. */
export const duration: Shape<number> = {
  expected: 'a duration from 1ms to 1000000s, such as 30 (seconds), 30s or 500ms',
  read(value, path) {
    const found = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(String(value));
    const durationMs = found === null ? Number.NaN : Number(found[1]) * UNITS_MS[found[2] ?? 's']!;
    if (durationMs >= 1 && durationMs <= LONGEST_MS) return durationMs;
    throw new BadInput(path, this.expected, show(value));
  },
};

const count: Shape<number> = {
  ...integer(0, 1000),
  read: (value, path) => integer(0, 1000).read(typeof value === 'string' ? asNumber(value) : value, path),
};

/**
 * What the two times set in this protocol. `sources` are ordered: an earlier one takes precedence. A source that has
 * the protocol's own name for the same setting too is refused.
 */
export function seedTimes(sources: readonly Source[], definition: Definition): Source {
  const found = new Map<string, Given>();
  const interval = firstGiven(sources, 'heartbeatInterval');
  const tolerance = firstGiven(sources, 'missedHeartbeatTolerance');
  const put = (field: string, by: Ranked, value: unknown, isMeant: boolean): void => {
    const own = firstGiven(sources, field);
    if (own === null || by.rank < own.rank) found.set(field, { ...by.given, value });
    else if (own.rank === by.rank && isMeant)
      throw new Refusal(`${by.given.from}: expected it or ${field}, found both`);
  };
  const heartbeatMs = interval === null ? null : read(interval, duration, 'heartbeatInterval');
  if (interval !== null) put('timing.heartbeatMs', interval, heartbeatMs, true);
  const tolerated = tolerance === null ? null : read(tolerance, count, 'missedHeartbeatTolerance');
  if ('missedHeartbeatTolerance' in definition.options) {
    if (tolerance !== null) put('options.missedHeartbeatTolerance', tolerance, tolerated, true);
    return found;
  }
  const beatMs =
    found.get('timing.heartbeatMs')?.value ?? firstGiven(sources, 'timing.heartbeatMs')?.given.value;
  if (tolerance !== null && typeof beatMs !== 'number') {
    const { from } = tolerance.given;
    throw new Refusal(`${from}: expected a heartbeat interval with it, found none`);
  }
  const by = tolerance ?? interval;
  if (by === null || typeof beatMs !== 'number') return found;
  // If a protocol counts no heartbeats, its timeout is that many of them.
  const leastMs = beatMs * ((tolerated ?? USUAL_TOLERANCE) + SLACK);
  put('timing.timeoutMs', by, [leastMs, 2 * leastMs], tolerance !== null);
  return found;
}

interface Ranked {
  readonly given: Given;
  readonly rank: number;
}

function firstGiven(sources: readonly Source[], field: string): Ranked | null {
  const rank = sources.findIndex((source) => source.has(field));
  return rank < 0 ? null : { given: sources[rank]!.get(field)!, rank };
}

function read({ given }: Ranked, shape: Shape<number>, field: string): number {
  return told(given, field, () => shape.read(given.value, field));
}
