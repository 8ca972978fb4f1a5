import { type Definition, type Json, type MemberId, type Random, readSettings } from '../../core/index.ts';
import type { LinkQuality } from '../network.ts';
import { tidyMs } from '../time.ts';
import type { Storm, StormMember } from './storm.ts';

/** The cluster of a storm, and the unit of its time. */
export type Cluster = Pick<
  Storm,
  'options' | 'timing' | 'members' | 'network' | 'syncMs' | 'calmLatencyMs' | 'timeoutMs'
>;

export function drawCluster(definition: Definition, random: Random, sizes?: readonly number[]): Cluster {
  const scale = random.chance(0.6) ? 1 : random.pick([0.1, 0.5, 3])!;
  const ids = drawIds(random, sizes);
  const { options, timing } = drawSettings(definition, ids, scale, random);
  const timeoutMs = timeoutOf(definition, timing);
  return {
    options,
    timing,
    members: drawMembers(definition, ids, timeoutMs, random),
    network: drawNetwork(scale, timeoutMs, random),
    syncMs: drawSyncMs(scale, slackMs(definition, { options, timing }), random),
    calmLatencyMs: calmLatencyMs(definition, { options, timing }, scale),
    timeoutMs,
  };
}

/**
 * A cluster for a schedule: a good network, no member late, and leases that are short compared to the timeouts if the
 * schedule needs that.
 */
export function drawGentleCluster(
  definition: Definition,
  sizes: readonly number[],
  isSlow: boolean,
  random: Random,
): Cluster {
  const scale = random.chance(0.8) ? 1 : random.pick([0.1, 3])!;
  const ids = drawIds(random, sizes);
  const leaseMs = tidyMs(125 * scale);
  const slow = { heartbeatMs: 0.5 * leaseMs, timeoutMs: [6 * leaseMs, 8 * leaseMs], leaseMs };
  const usual = { timeoutMs: USUAL_TIMEOUT_MS.map((ms) => tidyMs(ms * scale)) };
  const timing: Record<string, Json> = isSlow ? slow : usual;
  const latencyMs = random
    .pick([
      [2, 2],
      [1, 3],
      [1, 10],
    ] as const)!
    .map((ms) => tidyMs(ms * scale));
  const loss = random.chance(0.15) ? { loss: tidyMs(0.1 * random.fraction()) } : {};
  const ranked = random.chance(0.1);
  return {
    options: {},
    timing,
    members: ids.map((id) => ({ id, ...(ranked ? { priority: random.between(1, 3) } : {}) })),
    network: { latencyMs: latencyMs as [number, number], ...loss },
    syncMs: scale === 1 ? null : [tidyMs(0.1 * scale), tidyMs(scale)],
    calmLatencyMs: [tidyMs(scale), tidyMs(10 * scale)],
    timeoutMs: timeoutOf(definition, timing),
  };
}

/** About how long a leader may act after one round of answers: in the usual proportion if it is not set. */
export function leaseOf({ timing, timeoutMs }: Pick<Cluster, 'timing' | 'timeoutMs'>): number {
  if (typeof timing.leaseMs === 'number') return timing.leaseMs;
  const leastMs = Array.isArray(timing.timeoutMs) ? (timing.timeoutMs[0] as number) : timeoutMs / 2;
  return (5 * leastMs) / 6;
}

type Config = Pick<Cluster, 'options' | 'timing'>;

/** Settings that the protocol refuses are drawn again; after a few tries only the timeout is set. */
function drawSettings(
  definition: Definition,
  ids: readonly MemberId[],
  scale: number,
  random: Random,
): Config {
  for (let tries = 0; tries < 20; tries++) {
    const config = {
      options: drawOptions(definition, random),
      timing: drawTiming(definition, scale, random),
    };
    if (isAccepted(definition, ids, config)) return config;
  }
  const { timeoutMs } = drawTiming(definition, scale, random);
  return { options: {}, timing: timeoutMs === undefined ? {} : { timeoutMs } };
}

function isAccepted(definition: Definition, ids: readonly MemberId[], config: Config): boolean {
  return (definition.check?.(settle(definition, config), ids) ?? null) === null;
}

/**
 * The latency once it is calm: as short as the settings need. On a slower network, leaders lose their leases
 * repeatedly although nothing fails, and no liveness is promised.
 */
export function calmLatencyMs(definition: Definition, config: Config, scale: number): [number, number] {
  const mostMs = Math.min(10 * scale, SHARE_OF_LATENCY * slackMs(definition, config));
  return [tidyMs(Math.min(scale, mostMs)), tidyMs(mostMs)];
}

/** The time that the settings leave for a round of heartbeats. The way there, the way back and one save must fit. */
function slackMs(definition: Definition, config: Config): number {
  return definition.roundTripMs?.(settle(definition, config)) ?? Number.POSITIVE_INFINITY;
}

const SHARE_OF_LATENCY = 0.25;
const SHARE_OF_SAVE = 0.45;

function settle(definition: Definition, { options, timing }: Config): Parameters<Definition['create']>[0] {
  return {
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  };
}

/** An option has the same name in every protocol where it means the same, so these values suit all of them. */
const OPTIONS: Readonly<Record<string, readonly Json[]>> = {
  quorum: [false, true],
  prefer: ['highest', 'lowest'],
  preset: ['lan', 'wan', 'fast'],
  maxDrift: [0, 0.05, 0.2, 0.3],
  preferAfter: [1, 2, 5],
  missedHeartbeatTolerance: [1, 2, 3],
  maxInFlight: [1, 2, 8],
};

function drawOptions(definition: Definition, random: Random): Record<string, Json> {
  const options: Record<string, Json> = {};
  for (const name of Object.keys(definition.options)) {
    const values = OPTIONS[name];
    if (values !== undefined && random.chance(0.5)) options[name] = random.pick(values)!;
  }
  return options;
}

/**
 * For a protocol that derives its times from a preset: a timeout from which the other times are drawn in proportion.
 */
export const USUAL_TIMEOUT_MS: readonly [number, number] = [150, 300];

/** Shares of the timeout, for times that a protocol derives if they are not set. */
const SHARES: Readonly<Record<string, readonly [number, number]>> = {
  heartbeatMs: [0.1, 0.5],
  leaseMs: [0.6, 0.97],
  commitTimeoutMs: [0.2, 4],
  publishTimeoutMs: [0.1, 3],
};

/**
 * The times of a classic protocol depend on each other and are not checked, so they are scaled together. A protocol
 * that derives its times also checks them: those are drawn one by one.
 */
function drawTiming(definition: Definition, scale: number, random: Random): Record<string, Json> {
  const timing: Record<string, Json> = {};
  for (const [name, { default: usual }] of Object.entries(definition.timing)) {
    if (usual === null) {
      const value = drawDerived(name, scale, random);
      if (value !== null) timing[name] = value;
    } else if (scale !== 1) {
      timing[name] = Array.isArray(usual)
        ? usual.map((ms) => tidyMs(ms * scale))
        : tidyMs((usual as number) * scale);
    }
  }
  return timing;
}

function drawDerived(name: string, scale: number, random: Random): Json {
  const leastMs = USUAL_TIMEOUT_MS[0] * scale;
  if (name === 'timeoutMs') return [tidyMs(leastMs), tidyMs(leastMs * (1.5 + random.fraction()))];
  const share = SHARES[name];
  if (share === undefined || random.chance(0.6)) return null;
  return tidyMs(leastMs * (share[0] + (share[1] - share[0]) * random.fraction()));
}

/** The timeout that follows from these settings. */
export function timeoutOf(definition: Definition, timing: Readonly<Record<string, Json>>): number {
  const times = ['timeoutMs', 'heartbeatMs'].flatMap((name) => {
    const ms = timing[name] ?? definition.timing[name]?.default;
    return Array.isArray(ms) ? (ms as number[]) : typeof ms === 'number' ? [ms] : [];
  });
  return Math.max(...times);
}

/** Three and five are typical; one, two and even numbers are where arithmetic goes wrong. */
const SIZES = [1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 6, 7] as const;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;

function drawIds(random: Random, sizes: readonly number[] = SIZES): readonly MemberId[] {
  const naming = random.below(10);
  return Array.from({ length: random.pick(sizes)! }, (_, i): MemberId => {
    if (naming < 7) return i + 1;
    if (naming === 7) return (i + 1) * 1000 - i;
    return naming === 8 || i % 2 === 0 ? `node-${NAMES[i]}` : i + 1;
  });
}

function drawMembers(
  definition: Definition,
  ids: readonly MemberId[],
  timeoutMs: number,
  random: Random,
): readonly StormMember[] {
  const late = random.chance(0.15);
  const ranked = definition.memberSettings?.priority !== undefined && random.chance(0.4);
  const members = ids.map((id): StormMember => {
    const startMs = late ? { startMs: tidyMs(5 * timeoutMs * random.fraction()) } : {};
    const priority = ranked ? { priority: random.pick([0, 1, 1, 2, 3])! } : {};
    return { id, ...startMs, ...priority };
  });
  if (members.some((member) => member.priority !== 0)) return members;
  return members.map((member, i) => (i === 0 ? { ...member, priority: 1 } : member));
}

/** Good in some runs, since a bad network also hides rare events; else each quality is bad in half of them. */
function drawNetwork(scale: number, timeoutMs: number, random: Random): Partial<LinkQuality> {
  const usual = scale === 1 ? {} : { latencyMs: [tidyMs(scale), tidyMs(10 * scale)] as const };
  return { ...usual, ...drawQuality(scale, timeoutMs, random.chance(0.4) ? 0 : 0.5, random) };
}

/** Some qualities of a link, each with the given probability. */
export function drawQuality(
  scale: number,
  timeoutMs: number,
  chance: number,
  random: Random,
): Partial<LinkQuality> {
  const upTo = (most: number): number => tidyMs(most * random.fraction());
  return {
    ...(random.chance(chance) ? { latencyMs: drawLatency(scale, timeoutMs, random) } : {}),
    ...(random.chance(chance) ? { loss: upTo(0.3) } : {}),
    ...(random.chance(chance) ? { duplicate: upTo(0.3) } : {}),
    ...(random.chance(chance) ? { reorder: upTo(0.5) } : {}),
  };
}

function drawLatency(scale: number, timeoutMs: number, random: Random): LinkQuality['latencyMs'] {
  const leastMs = tidyMs(scale * random.fraction());
  switch (random.below(4)) {
    case 0:
      return [leastMs, leastMs]; // Constant: messages sent together arrive together.
    case 1:
      return [leastMs, tidyMs(10 * scale)];
    case 2:
      return [leastMs, tidyMs(leastMs + timeoutMs * random.fraction())];
    default:
      return { minMs: leastMs, meanMs: tidyMs(leastMs + 0.001 + 0.4 * timeoutMs * random.fraction()) };
  }
}

/**
 * A disk stays as slow after the storm as it was in it, so it is never too slow for an agreement. The host reports a renewed lease
 * only after the records before it are saved: a disk that takes longer than the settings leave for it costs the leader its lease
 * with every record, although nothing fails.
 */
function drawSyncMs(scale: number, slack: number, random: Random): readonly [number, number] | null {
  const choice = random.pick([
    [0.1, 1],
    [0.1, 1],
    [0, 0],
    [1, 5],
  ] as const)!;
  const mostMs = SHARE_OF_SAVE * slack;
  if (scale === 1 && choice[1] === 1 && mostMs >= 1) return null;
  const [least, most] = choice.map((ms) => tidyMs(Math.min(ms * scale, mostMs)));
  return [least!, most!];
}
