import type { Json, MemberId } from '../../core/index.ts';
import { DISK_RETRY_MS } from '../../host/index.ts';
import type { LinkQuality } from '../network.ts';
import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';
import { hasDamage } from './damage.ts';
import { examEndMs, examEvents } from './exam.ts';

/** A member with its own settings, as the protocol defines them. */
export type StormMember = {
  readonly id: MemberId;
  readonly startMs?: number;
} & {
  // Separate from the rest: an optional field beside it does not compile without exactOptionalPropertyTypes.
  readonly [setting: string]: Json;
};

/**
 * A faulty run before it becomes a scenario: the faults, when they stop, and how long all members then have to agree.
 * It is separate from its scenario so that it can be shrunk without losing the calm at its end.
 */
export interface Storm {
  readonly protocol: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, Json>>;
  readonly timing: Readonly<Record<string, Json>>;
  readonly members: readonly StormMember[];
  readonly network: Partial<LinkQuality>;
  /** How long a disk takes, or null for the default. */
  readonly syncMs: readonly [number, number] | null;
  /** The cluster is founded before it starts: its disks are not empty. */
  readonly isFounded?: boolean;
  /** How the processes are connected, if they need connections to talk. */
  readonly connections?: Readonly<Record<string, Json>>;
  /** Members start knowing only these addresses. */
  readonly seeds?: readonly string[];
  /** The latency once it is calm: short enough for the timeouts of the protocol. */
  readonly calmLatencyMs: readonly [number, number];
  /** The longest that a member waits before it reacts to silence: the unit of all times. */
  readonly timeoutMs: number;
  readonly faults: readonly WorldEvent[];
  /** When all faults end. */
  readonly stopMs: number;
  /** When the run ends, if that is not after the time to agree. */
  readonly endMs: number | null;
  /** In timeouts: how long all members have to agree once it is calm, if that is not the default. */
  readonly settle?: number;
  /** Afterwards members are cut off, one after the other, to see how the others react. */
  readonly exam: boolean;
}

/** How long all members have to agree once it is calm, in timeouts; beside that, the host has to retry a disk that was full. */
const SETTLE = 40;
/** In timeouts: a removed member is restarted this long after the faults stop, when all know of the removal. */
const BACK = 10;

/** When all must agree, if they have this many timeouts to settle. */
export function calmMsOf(storm: Storm, settle: number | undefined = storm.settle): number {
  const { faults, stopMs, timeoutMs } = storm;
  const isRetrying = faults.some((fault) => fault.do === 'disk');
  const usual = SETTLE + (isRetrying ? Math.ceil(DISK_RETRY_MS / timeoutMs) : 0);
  return tidyMs(stopMs + (settle ?? usual) * timeoutMs);
}

export function untilMsOf(storm: Storm): number {
  return storm.endMs ?? (storm.exam ? examEndMs(calmMsOf(storm), storm) : calmMsOf(storm));
}

/** The storm as a scenario that can be saved and replayed. */
export function scenarioOf(storm: Storm): Readonly<Record<string, Json>> {
  const { protocol, seed, options, timing, network, syncMs, isFounded, connections, seeds } = storm;
  const disk = { ...(syncMs === null ? {} : { syncMs }), ...(isFounded === true ? { isNew: true } : {}) };
  const untilMs = untilMsOf(storm);
  const exam = storm.exam ? examEvents(calmMsOf(storm), storm) : [];
  const events = [...storm.faults, ...calmEvents(storm), ...exam].sort((a, b) => a.atMs - b.atMs);
  return {
    protocol,
    seed,
    ...(isEmpty(options) ? {} : { options }),
    ...(isEmpty(timing) ? {} : { timing }),
    members: membersOf(storm),
    ...(isEmpty(network) ? {} : { network: network as Record<string, Json> }),
    ...(isEmpty(disk) ? {} : { disk }),
    ...(connections === undefined ? {} : { connections }),
    ...(seeds === undefined ? {} : { seeds }),
    untilMs,
    events: events.filter((event) => event.atMs <= untilMs) as unknown as readonly Json[],
  };
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}

/** A plain number if that is enough. No member starts after the storm. */
function membersOf({ members, stopMs }: Storm): Json {
  const listed = members.map((member): Json => {
    const { startMs, ...rest } = member;
    if (startMs !== undefined) return { ...rest, startMs: Math.min(startMs, stopMs) };
    return Object.keys(rest).length === 1 ? rest.id : rest;
  });
  return listed.every((each, i) => each === i + 1) ? listed.length : listed;
}

/** Ends every fault that the storm has, and no other, so that a small storm has a small end. */
function calmEvents(storm: Storm): readonly WorldEvent[] {
  const { faults, stopMs, timeoutMs } = storm;
  const has = (...kinds: readonly string[]): boolean => faults.some((fault) => kinds.includes(fault.do));
  const events: WorldEvent[] = calmNetwork(storm, stopMs);
  const end = (condition: boolean, event: WorldEvent): void => {
    if (condition) events.push(event);
  };
  end(has('partition', 'cut', 'hold', 'drop', 'duplicate'), { atMs: stopMs, do: 'heal' });
  end(has('hold'), { atMs: stopMs, do: 'release', count: MANY });
  end(has('disk'), { atMs: stopMs, do: 'disk', member: 'all', fault: 'none' });
  end(has('clock'), { atMs: stopMs, do: 'clock', member: 'all', rate: 1 });
  end(has('pause'), { atMs: stopMs, do: 'resume', member: 'all' });
  // An operator empties the disks that the store refuses.
  const mended = hasDamage(faults) ? { disk: 'kept-or-lost' as const } : {};
  end(has('crash') || hasDamage(faults), { atMs: stopMs, do: 'restart', member: 'all', ...mended });
  end(has('twin'), { atMs: stopMs, do: 'crash', member: 'all', twin: true });
  // A removed member must not disturb the others; in a protocol where a restart is a new beginning, it takes part
  // again.
  const backMs = tidyMs(stopMs + BACK * timeoutMs);
  const removed = new Set(faults.flatMap((fault) => (fault.do === 'remove' ? [fault.member] : [])));
  for (const member of removed) events.push({ atMs: backMs, do: 'restart', member, ...mended });
  return events;
}

const MANY = 10_000;

/** The setting of a link overrides that of a member, and that the one for all: each level is reset. */
function calmNetwork({ faults, network, calmLatencyMs }: Storm, atMs: number): WorldEvent[] {
  const changes = faults.filter((fault) => fault.do === 'network');
  const spoilt = (change: object): boolean => Object.keys(GOOD).some((field) => field in change);
  const calm = { ...GOOD, latencyMs: calmLatencyMs };
  const events: WorldEvent[] = [];
  const isQuicker = calmLatencyMs[1] < USUAL_LATENCY_MS[1];
  if (
    isQuicker ||
    spoilt(network) ||
    changes.some((each) => each.member === undefined && each.from === undefined)
  )
    events.push({ atMs, do: 'network', ...calm });
  if (changes.some((each) => each.member !== undefined))
    events.push({ atMs, do: 'network', member: 'all', ...calm });
  if (changes.some((each) => each.from !== undefined))
    events.push({ atMs, do: 'network', from: 'all', to: 'all', ...calm });
  return events;
}

const USUAL_LATENCY_MS = [1, 10] as const;
const GOOD: LinkQuality = { latencyMs: USUAL_LATENCY_MS, loss: 0, duplicate: 0, reorder: 0 };

/**
 * Can all members be expected to agree after the storm? Not if only members that never lead may be left: those with a
 * priority of 0, when the others might have been removed.
 */
export function someoneMayLead({ members, faults }: Storm): boolean {
  if (members.every((member) => member.priority !== 0)) return true;
  const removed = faults.flatMap((fault) => (fault.do === 'remove' ? [fault.member] : []));
  return members.some((member) => member.priority !== 0 && !removed.includes(member.id));
}
