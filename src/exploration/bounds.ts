import { assert, type Command } from '../core/index.ts';

/** A network in which each message arrives at most once, unless it is one of a few that are duplicated. */
export interface CountedNetwork {
  /** How many messages may be lost. (One that is never delivered is as good as lost, but stays in flight.) */
  readonly drops: number;
  readonly duplicates: number;
  /** How many may be under way at once. */
  readonly inFlight: number;
}

export type AskedCommand = Exclude<Command['type'], 'priority'>;

/** What may go wrong, and how often. The bounds are part of the model: what is said to hold, holds within them. */
export interface Bounds {
  /** Where a member reports a newer term than this, nothing further is tried. */
  readonly terms: number;
  /** The same for other counters of a state that have no end (Protocol.measure), by name. */
  readonly counters: Readonly<Record<string, number>>;
  readonly crashes: number;
  /** How many times a member that starts again finds its disk empty, though it had saved something. */
  readonly amnesia: number;
  /** A process may die while a record is being saved: what left before has left, and the record is the old one. */
  readonly unsynced: boolean;
  /** `any`: each message arrives any number of times, at any time, in any order, or never. */
  readonly network: 'any' | CountedNetwork;
  /** How often a host tells a member something about a peer, true or not. Only what is true is called proof. */
  readonly evidence: number;
  /** What is false may be called proof too. */
  readonly falseProof: boolean;
  /** How many of these commands users give. */
  readonly commands: { readonly most: number; readonly types: readonly AskedCommand[] };
  /** No command removes a member of a membership with so few: alone, a member that loses its disk has lost everything. */
  readonly fewest: number;
  /** How many timers fire in all; null: any number. */
  readonly timers: number | null;
  /** Which timers fire, with # for numbers ("lease/#"): the others are late for ever. Null: all. */
  readonly firing: readonly string[] | null;
  /** Messages of these types never arrive. */
  readonly mute: readonly string[];
  /**
   * Messages of these types arrive as soon as they are sent, once, and never later: what comes of them is part of what
   * sent them. Where several are sent at once, they arrive in one order of all that are possible.
   */
  readonly atOnce: readonly string[];
  /** How many steps a history may have; null: any number. */
  readonly depth: number | null;
  /** The answers that a draw may get, as if they were all the 64-bit numbers there are. */
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
  firing: null,
  mute: [],
  atOnce: [],
  depth: null,
  draws: ['0', '1', '2'],
};

/** The bound of a counter that has no bound of its own. */
export const DEFAULT_COUNTER = 2;

/** The bounds in words, as they belong to every result; without the network where it may do anything and that is said already. */
export function describeBounds(bounds: Bounds, tellsAnyNetwork = true): string[] {
  const { terms, counters, crashes, amnesia, unsynced, network, evidence, falseProof, commands } = bounds;
  const words = [`terms up to ${terms}`];
  for (const [name, most] of Object.entries(counters)) words.push(`${name} up to ${most}`);
  words.push(`other counters up to ${DEFAULT_COUNTER}`);
  words.push(`crashes: ${crashes}${crashes > 0 && unsynced ? ', also in the middle of a save' : ''}`);
  if (amnesia > 0) words.push(`lost disks: ${amnesia}`);
  if (network === 'any') {
    if (tellsAnyNetwork) words.push('every message arrives any number of times, in any order, or never');
  } else {
    const { inFlight, drops, duplicates } = network;
    words.push(`messages in flight: ${inFlight}, lost: ${drops}, doubled: ${duplicates}, in any order`);
  }
  if (evidence > 0) words.push(`evidence: ${evidence}${falseProof ? ', and proof may be false' : ''}`);
  if (commands.most > 0) words.push(`commands: ${commands.most} of ${commands.types.join(', ')}`);
  if (bounds.fewest > 1) words.push(`members never fewer than ${bounds.fewest}`);
  if (bounds.timers !== null) words.push(`timers that fire: ${bounds.timers}`);
  if (bounds.firing !== null) words.push(`of the timers only ${bounds.firing.join(', ')}`);
  if (bounds.mute.length > 0) words.push(`${bounds.mute.join(', ')} never arrive`);
  if (bounds.atOnce.length > 0) words.push(`${bounds.atOnce.join(', ')} arrive at once`);
  if (bounds.depth !== null) words.push(`acts: ${bounds.depth}`);
  return words;
}

/** Does this timer fire within the bounds? */
export function fires({ firing }: Pick<Bounds, 'firing'>, timer: string): boolean {
  return firing?.includes(familyOf(timer)) ?? true;
}

/** The name of a timer with # for its numbers: a protocol may number its timers. */
export function familyOf(timer: string): string {
  return timer.replace(/\d+/g, '#');
}

/** One faulty thing that may happen a limited number of times. How often it did is part of every state. */
export type Fault =
  | 'crashes'
  | 'drops'
  | 'duplicates'
  | 'evidence'
  | 'commands'
  | 'timers'
  | 'amnesia'
  | 'falseProof';

/** How often each fault has happened, packed into one integer: first bit and number of bits. */
const FIELDS: Readonly<Record<Fault, readonly [shift: number, bits: number]>> = {
  crashes: [0, 4],
  drops: [4, 4],
  duplicates: [8, 4],
  evidence: [12, 4],
  commands: [16, 4],
  timers: [20, 8],
  amnesia: [28, 2],
  falseProof: [30, 1],
};

export function countOf(faults: number, fault: Fault): number {
  const [shift, bits] = FIELDS[fault];
  return (faults >> shift) & ((1 << bits) - 1);
}

export function oneMore(faults: number, fault: Fault): number {
  return faults + (1 << FIELDS[fault][0]);
}

/** What is false was called proof. It is not bounded by itself, so only that it happened is worth knowing. */
export function withFalseProof(faults: number): number {
  return countOf(faults, 'falseProof') === 0 ? oneMore(faults, 'falseProof') : faults;
}

/**
 * Are at least as many faults of every kind left after the first as after the second? Commands must be as many, since
 * they are numbered.
 */
export function leavesAsMuch(first: number, second: number): boolean {
  if (first === second) return true;
  return (Object.keys(FIELDS) as Fault[]).every((fault) => {
    const a = countOf(first, fault);
    const b = countOf(second, fault);
    return fault === 'commands' ? a === b : a <= b;
  });
}

/** The most that can be counted of a fault. */
export function mostOf(fault: Fault): number {
  return (1 << FIELDS[fault][1]) - 1;
}

export function checkBounds(bounds: Bounds): void {
  const { crashes, amnesia, network, evidence, commands, timers } = bounds;
  const given: Partial<Record<Fault, number>> = { crashes, amnesia, evidence, commands: commands.most };
  if (network !== 'any') Object.assign(given, { drops: network.drops, duplicates: network.duplicates });
  if (timers !== null) given.timers = timers;
  for (const [fault, count] of Object.entries(given)) {
    assert(
      count >= 0 && count <= mostOf(fault as Fault),
      `${fault}: at most ${mostOf(fault as Fault)}, not ${count}`,
    );
  }
}
