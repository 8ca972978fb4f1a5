import { assert, type Command } from '../../core/index.ts';

/** A network in which each message arrives at most once, except for a few duplicates. */
export interface CountedNetwork {
  /** How many messages may be lost. (A message that is never delivered is as good as lost, but stays in flight.) */
  readonly drops: number;
  readonly duplicates: number;
  /** How many may be in flight at once. */
  readonly inFlight: number;
}

/**
 * A network without delay. A message arrives before anything else happens (a timer, a crash, a command), or never: what
 * members do at such an event, and all that they send each other because of it, is one burst, and leads from one state
 * to the next. Inside a burst messages arrive in the order of sending. Each direction of each link works or is broken.
 */
export interface PromptNetwork {
  /** So many messages of a history are not bound to their burst: they arrive at any later time, any number of times. */
  readonly late: number;
  /** When a direction of a link may break: before its first message of a burst, or before any. */
  readonly breaks: 'first' | 'any';
}

export type AskedCommand = Exclude<Command['type'], 'priority'>;

/** What may go wrong, and how often. The bounds are part of the model: every result holds within them. */
export interface Bounds {
  /** States with a newer term than this are not followed. */
  readonly terms: number;
  /** The same for other unbounded counters of a state (Protocol.measure), by name. */
  readonly counters: Readonly<Record<string, number>>;
  readonly crashes: number;
  /** How many times a restarting member finds its disk empty, though it had saved something. */
  readonly amnesia: number;
  /** A process may die while a record is being saved: what left before has left, and the record is the old one. */
  readonly unsynced: boolean;
  /** `any`: each message arrives any number of times, at any time, in any order, or never. */
  readonly network: 'any' | CountedNetwork | PromptNetwork;
  /** How often a host tells a member something about a peer, true or not. Only true evidence is called proof. */
  readonly evidence: number;
  /** False evidence may be called proof too. */
  readonly falseProof: boolean;
  /** How many of these commands users give. */
  readonly commands: { readonly most: number; readonly types: readonly AskedCommand[] };
  /**
   * No command removes a member from a membership of this size: a single member that loses its disk has lost
   * everything.
   */
  readonly fewest: number;
  /** How many timers fire in all; null: any number. */
  readonly timers: number | null;
  /** Timers that are not counted among these, with # for numbers. Example: a promise may end at any time. */
  readonly uncounted: readonly string[];
  /** The timers that fire, with # for numbers ("lease/#"): the others never do. Null: all. */
  readonly firing: readonly string[] | null;
  /** Messages of these types never arrive. */
  readonly mute: readonly string[];
  /**
   * Messages of these types arrive as soon as they are sent, once, and never later: their effects are part of the
   * step that sent them. If several are sent at once, they arrive in one of all possible orders.
   */
  readonly atOnce: readonly string[];
  /** How many steps a history may have; null: any number. */
  readonly depth: number | null;
  /** The possible answers to a draw, in place of all 64-bit numbers. */
  readonly draws: readonly string[];
}

export const DEFAULT_BOUNDS: Bounds = {
  terms: 2,
  counters: {},
  crashes: 1,
  amnesia: 0,
  unsynced: true,
  network: 'any',
  evidence: 0,
  falseProof: false,
  commands: { most: 0, types: [] },
  fewest: 1,
  timers: null,
  uncounted: [],
  firing: null,
  mute: [],
  atOnce: [],
  depth: null,
  draws: ['0', '1', '2'],
};

/** The bound of a counter without a bound of its own. */
export const DEFAULT_COUNTER = 2;

/** Does each message leave the network when it arrives? */
export function isCounted(network: Bounds['network']): network is CountedNetwork {
  return network !== 'any' && 'inFlight' in network;
}

export function isPrompt(network: Bounds['network']): network is PromptNetwork {
  return network !== 'any' && 'late' in network;
}

/** Does this timer fire within the bounds? */
export function fires({ firing }: Pick<Bounds, 'firing'>, timer: string): boolean {
  return firing?.includes(familyOf(timer)) ?? true;
}

/** The name of a timer with # for its numbers: a protocol may number its timers. */
export function familyOf(timer: string): string {
  return timer.replace(/\d+/g, '#');
}

/** A fault that may happen a limited number of times. Its count is part of every state. */
export type Fault =
  | 'crashes'
  | 'drops'
  | 'late'
  | 'duplicates'
  | 'evidence'
  | 'commands'
  | 'timers'
  | 'amnesia'
  | 'falseProof';

interface Field {
  /** Its first bit. */
  readonly shift: number;
  /** The most that can be counted in it. */
  readonly most: number;
}

/** The counts of all faults, packed into one integer. */
const FIELDS: Readonly<Record<Fault, Field>> = {
  crashes: { shift: 0, most: 15 },
  drops: { shift: 4, most: 15 },
  late: { shift: 4, most: 15 }, // The same bits: no network has both.
  duplicates: { shift: 8, most: 15 },
  evidence: { shift: 12, most: 15 },
  commands: { shift: 16, most: 15 },
  timers: { shift: 20, most: 255 },
  amnesia: { shift: 28, most: 3 },
  falseProof: { shift: 30, most: 1 },
};
const FAULTS = Object.keys(FIELDS) as readonly Fault[];

export function countOf(faults: number, fault: Fault): number {
  const { shift, most } = FIELDS[fault];
  return (faults >> shift) & most;
}

export function oneMore(faults: number, fault: Fault): number {
  return faults + (1 << FIELDS[fault].shift);
}

/** False evidence was called proof. It is not bounded separately, so only whether it happened is kept. */
export function withFalseProof(faults: number): number {
  return countOf(faults, 'falseProof') === 0 ? oneMore(faults, 'falseProof') : faults;
}

/**
 * Are at least as many faults of every kind left after the first as after the second? Commands must be equal in
 * number, since they are numbered.
 */
export function leavesAsMuch(first: number, second: number): boolean {
  if (first === second) return true;
  return FAULTS.every((fault) => {
    const a = countOf(first, fault);
    const b = countOf(second, fault);
    return fault === 'commands' ? a === b : a <= b;
  });
}

/** The most that can be counted of a fault. */
export function mostOf(fault: Fault): number {
  return FIELDS[fault].most;
}

export function checkBounds(bounds: Bounds): void {
  const { crashes, amnesia, network, evidence, commands, timers } = bounds;
  const given: Partial<Record<Fault, number>> = { crashes, amnesia, evidence, commands: commands.most };
  if (isPrompt(network)) given.late = network.late;
  else if (isCounted(network)) Object.assign(given, { drops: network.drops, duplicates: network.duplicates });
  if (timers !== null) given.timers = timers;
  for (const [fault, count] of Object.entries(given)) {
    assert(
      count >= 0 && count <= mostOf(fault as Fault),
      `${fault}: at most ${mostOf(fault as Fault)}, not ${count}`,
    );
  }
}
