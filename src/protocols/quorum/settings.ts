import {
  type Config,
  choice,
  durationMs,
  flag,
  integer,
  nullable,
  number,
  type Objection,
  optional,
  rangeMs,
  record,
  type Setting,
  type Settings,
  type Shape,
  setting,
} from '../../core/index.ts';

type Range = readonly [minMs: number, maxMs: number];

/** The times for a kind of network, and for how busy the processes are. */
export type Preset = 'steady' | 'lan' | 'wan' | 'fast';

/** The times of `quorum`. What is left out, or null, follows from the preset and from the rest. */
export interface QuorumTiming {
  /** How often the leader asks for support (a third of the least timeout). */
  readonly heartbeatMs?: number | null | undefined;
  /** Silence after which members, one slot after the other, ask for votes: the least and the largest. */
  readonly timeoutMs?: Range | null | undefined;
  /** How long a member that supports a leader helps no other candidate (five sixths of the least timeout). */
  readonly leaseMs?: number | null | undefined;
  /** How long a publication may take to reach a majority (twice the largest timeout). */
  readonly commitTimeoutMs?: number | null | undefined;
  /** How long to wait before sending it again to members that lack it (the largest timeout). */
  readonly publishTimeoutMs?: number | null | undefined;
}

/** The options of `quorum`. */
export interface QuorumOptions {
  /** The times for a kind of network, and for how busy the processes are (default: `steady`). */
  readonly preset?: Preset | undefined;
  /** How far the rate of any clock may be from 1; the lease is shortened by it (default: 0.01). */
  readonly maxDrift?: number | undefined;
  /** Heartbeats a preferred member must answer in a row before the leader transfers to it (default: 20). */
  readonly preferAfter?: number | undefined;
}

/** A table with one setting for each of these. */
type TableOf<Given> = Settings & {
  readonly [K in keyof Given]-?: Setting<Exclude<Given[K], undefined>>;
};

export type TimingTable = TableOf<QuorumTiming>;
export type OptionsTable = TableOf<QuorumOptions>;

export type QuorumConfig = Config<TimingTable, OptionsTable>;

/** Null: the preset decides. */
export const timing: TimingTable = {
  heartbeatMs: setting(nullable(durationMs), null, 'how often the leader asks for support'),
  timeoutMs: setting(
    nullable(rangeMs),
    null,
    'silence after which members, one slot after the other, ask for votes',
  ),
  leaseMs: setting(
    nullable(durationMs),
    null,
    'how long a member that supports a leader helps no other candidate',
  ),
  commitTimeoutMs: setting(nullable(durationMs), null, 'how long a publication may take to reach a majority'),
  publishTimeoutMs: setting(
    nullable(durationMs),
    null,
    'how long to wait before sending it again to members that lack it',
  ),
};

const preset = choice('steady', 'lan', 'wan', 'fast');

export const options: OptionsTable = {
  preset: setting(preset, 'steady', 'the times for a kind of network, and for how busy the processes are'),
  maxDrift: setting(
    number(0, 10),
    0.01,
    'how far the rate of any clock may be from 1; the lease is shortened by it',
  ),
  preferAfter: setting(
    integer(1, 100_000),
    20,
    'heartbeats a preferred member must answer in a row before the leader transfers to it',
  ),
};

export const memberSettings: { priority: Setting<number>; deputies: Setting<boolean> } = {
  priority: setting(
    integer(0, 1000),
    1,
    'a higher one is preferred as leader; with 0 it votes but never leads',
  ),
  deputies: setting(
    flag,
    false,
    'as leader it has a successor elected in advance, and it may be that successor',
  ),
};

/** The times that an operator set while the cluster ran; null: the preset decides. An option that is omitted is as configured. */
export interface SetTiming {
  readonly preset: Preset;
  readonly heartbeatMs: number | null;
  readonly timeoutMs: Range | null;
  readonly leaseMs: number | null;
  readonly commitTimeoutMs: number | null;
  readonly publishTimeoutMs: number | null;
  readonly maxDrift?: number | undefined;
  readonly preferAfter?: number | undefined;
}

export const setTiming: Shape<SetTiming> = record<SetTiming>({
  preset,
  heartbeatMs: timing.heartbeatMs.shape,
  timeoutMs: timing.timeoutMs.shape,
  leaseMs: timing.leaseMs.shape,
  commitTimeoutMs: timing.commitTimeoutMs.shape,
  publishTimeoutMs: timing.publishTimeoutMs.shape,
  maxDrift: optional(options.maxDrift.shape),
  preferAfter: optional(options.preferAfter.shape),
});

/** Every time in milliseconds, as it is used. */
export interface Times {
  readonly heartbeatMs: number;
  /** The range over which the slots of the members are spread. */
  readonly timeoutMs: readonly [number, number];
  /** The same range if the leader is known to be gone: no member has to wait for it any more. */
  readonly hurryMs: number;
  /** What members promise: D. */
  readonly promiseMs: number;
  /** What the leader counts on: D(1−ρ)/(1+ρ), so that it ends first by any two clocks within the drift ρ. */
  readonly leaseMs: number;
  readonly commitTimeoutMs: number;
  readonly publishTimeoutMs: number;
  /** What a member promises that is not told for how long: what it is configured with, and so is the sender. */
  readonly unaskedMs: number;
  /** ρ. */
  readonly maxDrift: number;
  readonly preferAfter: number;
}

/**
 * With H the heartbeat, T the least timeout and d the longest one-way delay for which a preset is meant:
 *
 *   T ≥ 2H + 2d     one heartbeat may be lost and the next be late before any member calls the leader silent
 *   range ≈ 14d     of five members each has a slot of nearly 3d: a pre-vote, its answers and the request for a vote have mostly
 *                   gone round before the second would ask too
 *   lease = 5T/6    the promise ends before the first timeout, so that no member is refused because it heard the dead leader a
 *                   moment longer than others; and H + 2d < lease, so that every round renews it in time
 *
 * steady: d = 80. T = 3H = 1800, range 1200, lease 1500: a leader keeps its lease although its process is busy for most of a
 *       second. A takeover after a crash or a resignation is as quick as with lan, since it does not wait for the lease.
 * lan:  d = 10.  T = 3H = 150, range 150.
 * wan:  d = 40.  T = 2·85 + 2·40 = 250, range 550, lease 208.
 * fast: d = 1, one rack. T = 3H = 15, range 15, and a lease of 12: the smallest times that a busy process still meets.
 */
const PRESETS = {
  steady: { heartbeatMs: 600, timeoutMs: [1800, 3000], leaseMs: 1500, hurryMs: 150 },
  lan: { heartbeatMs: 50, timeoutMs: [150, 300], leaseMs: 125, hurryMs: 150 },
  wan: { heartbeatMs: 85, timeoutMs: [250, 800], leaseMs: 208, hurryMs: 550 },
  fast: { heartbeatMs: 5, timeoutMs: [15, 30], leaseMs: 12, hurryMs: 15 },
} as const;

export function timesOf(
  { timing: given, options: { preset, maxDrift, preferAfter } }: QuorumConfig,
  unaskedMs?: number,
): Times {
  const base = PRESETS[preset];
  const timeoutMs = given.timeoutMs ?? base.timeoutMs;
  // If only the timeout is set, heartbeat and lease keep the proportions of the preset.
  const scale = timeoutMs[0] / base.timeoutMs[0];
  const promiseMs = given.leaseMs ?? base.leaseMs * scale;
  return {
    heartbeatMs: given.heartbeatMs ?? base.heartbeatMs * scale,
    timeoutMs,
    hurryMs: Math.min(base.hurryMs, timeoutMs[1] - timeoutMs[0]),
    promiseMs,
    leaseMs: leaseOf(promiseMs, maxDrift),
    commitTimeoutMs: given.commitTimeoutMs ?? timeoutMs[1] * 2,
    publishTimeoutMs: given.publishTimeoutMs ?? timeoutMs[1],
    unaskedMs: unaskedMs ?? promiseMs,
    maxDrift,
    preferAfter,
  };
}

/** For how long a leader may count on a promise. */
export function leaseOf(promiseMs: number, maxDrift: number): number {
  return (promiseMs * (1 - maxDrift)) / (1 + maxDrift);
}

/** A round must be answered before the lease of the earlier round ends. */
export function roundTripMs(config: QuorumConfig): number {
  const { heartbeatMs, leaseMs } = timesOf(config);
  return leaseMs - heartbeatMs;
}

/** The lease that is set is what members promise; the leader counts on a little less. */
export function effectiveTiming(
  config: QuorumConfig,
): Omit<Times, 'promiseMs' | 'unaskedMs' | 'maxDrift' | 'preferAfter'> {
  const { promiseMs, unaskedMs: _, maxDrift: __, preferAfter: ___, ...times } = timesOf(config);
  return { ...times, leaseMs: promiseMs };
}

/** Refuses settings that would be unsafe, or could never work, with the reason. */
export function checkSettings(config: QuorumConfig): Objection | null {
  const { maxDrift } = config.options;
  if (maxDrift >= 1) {
    return {
      path: 'options.maxDrift',
      reason: `${maxDrift}: a clock that may stand still can guard no lease`,
    };
  }
  const { heartbeatMs, timeoutMs, promiseMs, leaseMs } = timesOf(config);
  if (promiseMs >= timeoutMs[0]) {
    const reason = `${promiseMs} with a timeout from ${timeoutMs[0]}: members would ask for votes that they themselves still refuse`;
    return { path: 'timing.leaseMs', reason };
  }
  if (heartbeatMs >= leaseMs) {
    const reason = `${heartbeatMs} with a lease of ${Math.round(leaseMs * 10) / 10} after drift: it would end before it can be renewed`;
    return { path: 'timing.heartbeatMs', reason };
  }
  return null;
}
