/**
 * Times, and options, that change while the cluster runs. They stand in the register, and count as soon as it is accepted;
 * until it is known to be committed, together with the earlier ones: the longer of both.
 *
 * Why members may differ in their times: at no moment may two act as long as a lease is no longer than what the members
 * promised that carry it. So every request for support says for how long (`promiseMs`), a member promises exactly that,
 * and the leader counts no more on it, whatever either of them is configured with. Times that differ only make leaders
 * change more often than necessary.
 *
 * Why a leader that shortens its leases goes on asking for the longer promise for a while: a shorter promise replaces a
 * longer one. Example: a majority has answered round 5, for 1500 ms; round 6 asks for 125 ms. A member that answers round 6
 * is free 125 ms later, and yet the lease of round 5 lasts for more than a second. So the leader counts on less at once, and
 * asks for less only when every longer lease has run out, also in the eyes of a program that has not heard of a newer one.
 *
 * Why `maxDrift` may change too: only the leader counts with it. What members promise is in the request. A leader that has
 * accepted another drift counts with the larger of both until that is committed, and every later leader has what was
 * committed. A lease that was counted with a smaller drift still runs out: a larger one holds for all leases one lease later.
 */
import {
  type Message as AnyMessage,
  asObject,
  BadInput,
  type Json,
  type Objection,
  type Retimed,
  type Retiming,
  readSettings,
  type SetTimes,
  show,
} from '../../core/index.ts';
import type { Register } from './messages.ts';
import {
  checkSettings,
  effectiveTiming,
  leaseOf,
  type OptionsTable,
  options,
  type QuorumConfig,
  type SetTiming,
  setTiming,
  type Times,
  type TimingTable,
  timesOf,
  timing,
} from './settings.ts';
import { isOlder, NEVER, type Out, others, type State, sameAge } from './state.ts';

/** No promise that an operator sets while the cluster runs is longer: a member has to wait for it after a restart. */
export const LONGEST_PROMISE_MS = 60_000;

/** Nor any time shorter than this: the leader would be busy with heartbeats alone, and changing it back needs a leader. */
const SHORTEST_MS = { heartbeatMs: 5, timeoutMs: 15, leaseMs: 12, commitTimeoutMs: 15, publishTimeoutMs: 15 };

/** The options that can be changed while the cluster runs: all but the preset, which is changed with the times. */
const OPTIONS = ['maxDrift', 'preferAfter'] as const;

/** The settings with the times that an operator set. */
export function configWith(config: QuorumConfig, set: SetTiming | undefined): QuorumConfig {
  if (set === undefined) return config;
  const { preset, maxDrift, preferAfter, ...times } = set;
  const { options: configured } = config;
  return {
    timing: times,
    options: {
      preset,
      maxDrift: maxDrift ?? configured.maxDrift,
      preferAfter: preferAfter ?? configured.preferAfter,
    },
  };
}

/** The times that hold in a state. Nearly always these are the configured ones, and every step asks. */
export function timekeeper(
  config: QuorumConfig,
): (registers: Pick<State, 'register' | 'committed'>) => Times {
  const configured = timesOf(config);
  const known = new WeakMap<SetTiming, Times>();
  const timesIn = ({ timing: set }: Register): Times => {
    if (set === undefined) return configured;
    const times = known.get(set) ?? timesOf(configWith(config, set), configured.unaskedMs);
    known.set(set, times);
    return times;
  };
  return ({ register, committed }) => {
    if (register.timing === committed.timing) return timesIn(register);
    return longerOf(timesIn(register), timesIn(committed));
  };
}

/**
 * The heartbeat is the shorter one: members with the shorter timeout must hear the leader in time. The lease is what the
 * larger drift leaves of the longer promise; the longer lease may be that of the smaller drift.
 */
function longerOf(one: Times, other: Times): Times {
  const promiseMs = Math.max(one.promiseMs, other.promiseMs);
  const maxDrift = Math.max(one.maxDrift, other.maxDrift);
  return {
    heartbeatMs: Math.min(one.heartbeatMs, other.heartbeatMs),
    timeoutMs: [
      Math.max(one.timeoutMs[0], other.timeoutMs[0]),
      Math.max(one.timeoutMs[1], other.timeoutMs[1]),
    ],
    hurryMs: Math.max(one.hurryMs, other.hurryMs),
    promiseMs,
    leaseMs: leaseOf(promiseMs, maxDrift),
    commitTimeoutMs: Math.max(one.commitTimeoutMs, other.commitTimeoutMs),
    publishTimeoutMs: Math.max(one.publishTimeoutMs, other.publishTimeoutMs),
    unaskedMs: one.unaskedMs,
    maxDrift,
    preferAfter: Math.max(one.preferAfter, other.preferAfter),
  };
}

/** For how long the next request asks for support; its lease is counted on what holds. */
export function nextAskMs(s: State, { promiseMs }: Times, out: Out): number {
  if (promiseMs < s.countsMs) out.push({ type: 'set-timer', timer: 'shorten', delayMs: s.asksMs });
  s.countsMs = promiseMs;
  if (promiseMs > s.asksMs) s.asksMs = promiseMs;
  return s.asksMs;
}

/** Every lease that was counted on a longer promise has run out. */
export function onShorten(s: State): void {
  s.asksMs = s.countsMs;
}

/**
 * For how long a member promises what it is asked to promise for `ms`. After a restart it does not know which rounds it has
 * answered before, so a late request for a shorter promise would end a longer one on which a lease still rests.
 *
 * Example: 3 answers round 5, for 100 ms, and after a change of times round 9, for 900 ms. It starts again, and round 5 arrives
 * once more. Bound for 100 ms, it would help another candidate while the leader acts on round 9.
 *
 * The time is counted from the first such request: mostly there is none, and no timer is needed.
 */
export function longEnough(s: State, ms: number, out: Out): number {
  const { earlier } = s;
  if (earlier === null || ms >= earlier.ms) return ms;
  if (!earlier.isEnding) {
    s.earlier = { ms: earlier.ms, isEnding: true };
    out.push({ type: 'set-timer', timer: 'earlier', delayMs: earlier.ms });
  }
  return earlier.ms;
}

/** What an earlier process of this disk has promised is over. */
export function onEarlierEnds(s: State): void {
  s.earlier = null;
}

/** Why no operator can have set these times, or null. */
export function refuseTiming(config: QuorumConfig, set: SetTiming): Objection | null {
  const changed = configWith(config, set);
  const { promiseMs } = timesOf(changed);
  if (promiseMs > LONGEST_PROMISE_MS) {
    const reason = `${promiseMs}: a lease that is set while the cluster runs lasts at most ${LONGEST_PROMISE_MS} ms`;
    return { path: 'timing.leaseMs', reason };
  }
  return tooShort(changed, config) ?? checkSettings(changed);
}

/** Times as short as the configured ones are not refused: the operator knows that they work. */
function tooShort(changed: QuorumConfig, configured: QuorumConfig): Objection | null {
  const [times, known] = [effectiveTiming(changed), effectiveTiming(configured)];
  for (const name of Object.keys(SHORTEST_MS) as (keyof typeof SHORTEST_MS)[]) {
    const ms = leastOf(times[name]);
    const least = Math.min(SHORTEST_MS[name], leastOf(known[name]));
    if (ms >= least) continue;
    const reason = `${ms}: a time that is set while the cluster runs is at least ${least} ms here`;
    return { path: `timing.${name}`, reason };
  }
  return null;
}

function leastOf(time: number | readonly [number, number]): number {
  return typeof time === 'number' ? time : time[0];
}

export const retiming: Retiming<TimingTable, OptionsTable> = {
  options: OPTIONS,
  /**
   * A preset, or some times, which replace those that hold now, and options. Null for a time: the preset decides; for an
   * option: the configuration of each member.
   */
  change(config, before, { timing: times, options: given }) {
    if (times === undefined && given === undefined)
      throw new BadInput('timing', 'a preset, or one or more times; or options', 'nothing');
    const now = before === null ? ofConfig(config) : readTiming(before);
    const set = withOptions(times === undefined ? now : withTimes(now, times), given ?? {});
    const objection = refuseTiming(config, set);
    if (objection !== null)
      throw new BadInput(objection.path, 'times and options that work together', objection.reason);
    return set as unknown as SetTimes;
  },
  scaled(config, factor) {
    const { hurryMs: _, ...times } = effectiveTiming(config);
    const scaled = Object.entries(times).map(([name, ms]) => [name, scale(ms, factor)] as const);
    return { preset: config.options.preset, ...Object.fromEntries(scaled) };
  },
  config: (config, set) => configWith(config, readTiming(set)),
  forEarlierRelease(config, message, features) {
    const plain = features.includes('deputies') ? message : withoutSuccession(message);
    if (features.includes('timing')) return plain;
    const { promiseMs, ...rest } = plain as AnyMessage & { readonly promiseMs?: number };
    return promiseMs === timesOf(config).promiseMs ? rest : plain;
  },
};

/**
 * What a heartbeat, its answer and a register say of deputies. A member that is not told of a succession follows the deputy once it has
 * proof itself, or its promise to the leader before has ended.
 */
function withoutSuccession(message: AnyMessage): AnyMessage {
  if ('register' in message) return withoutTaken(message as AnyMessage & { readonly register: Register });
  if (!('deputy' in message || 'after' in message || 'deputies' in message)) return message;
  const { deputy: _, after: __, deputies: ___, ...rest } = message as AnyMessage & Record<string, unknown>;
  return rest as AnyMessage;
}

function withoutTaken(message: AnyMessage & { readonly register: Register }): AnyMessage {
  const { taken: _, ...register } = message.register;
  return message.register.taken === undefined ? message : ({ ...message, register } as AnyMessage);
}

function scale(ms: number | readonly [number, number], factor: number): Json {
  return typeof ms === 'number' ? ms * factor : [ms[0] * factor, ms[1] * factor];
}

export function retimedIn(s: State): Retimed | null {
  const { register, committed } = s;
  const times = (register.timing ?? committed.timing) as unknown as SetTimes | undefined;
  if (times === undefined) return null;
  const isLeader = s.role === 'leader';
  const lacking = isLeader ? others(s).filter((id) => isOlder(s.peers[id]?.age ?? NEVER, register)) : [];
  return { times, isCommitted: sameAge(register, committed), lacking };
}

function ofConfig({ timing: times, options: { preset } }: QuorumConfig): SetTiming {
  return { preset, ...times };
}

/** The times of a preset; the options stay. */
function withPreset({ maxDrift, preferAfter }: SetTiming, asked: unknown): SetTiming {
  const preset = asked === 'default' ? options.preset.default : readPreset(asked);
  const kept = {
    ...(maxDrift === undefined ? {} : { maxDrift }),
    ...(preferAfter === undefined ? {} : { preferAfter }),
  };
  return { preset, ...readSettings(timing, {}, 'timing'), ...kept };
}

function readPreset(asked: unknown): SetTiming['preset'] {
  const { shape } = options.preset;
  try {
    return shape.read(asked, 'timing');
  } catch {
    throw new BadInput('timing', `${shape.expected} or "default"`, show(asked));
  }
}

function withTimes(now: SetTiming, asked: unknown): SetTiming {
  if (typeof asked === 'string') return withPreset(now, asked);
  const { preset, ...times } = asObject(asked, 'timing');
  if (preset !== undefined) return withTimes(withPreset(now, preset), times);
  const given = readSettings(timing, times, 'timing');
  const names = Object.keys(times);
  if (names.length === 0) throw new BadInput('timing', 'a preset, or one or more times', show(asked));
  return { ...now, ...Object.fromEntries(names.map((name) => [name, given[name]])) };
}

function withOptions(now: SetTiming, asked: unknown): SetTiming {
  const set: Record<string, unknown> = { ...now };
  for (const [name, value] of Object.entries(asObject(asked, 'options'))) {
    if (name === 'preset') throw new BadInput('options.preset', 'timing=PRESET, which sets it', show(value));
    if (!OPTIONS.some((each) => each === name))
      throw new BadInput(
        'options',
        `${OPTIONS.join(' or ')}, which can be changed while the cluster runs`,
        show(name),
      );
    if (value === null) delete set[name];
    else set[name] = options[name]!.shape.read(value, `options.${name}`);
  }
  return set as unknown as SetTiming;
}

export function readTiming(set: SetTimes): SetTiming {
  return setTiming.read(set, 'timing');
}
