import type { Json, MemberId, Role, TraceEvent, TraceStep } from '../../../../src/core/index.ts';
import type { Stretch, Violation } from '../../../../src/simulation/index.ts';
import { type Flight, Flights } from './flights.ts';
import { countUpTo, Track } from './track.ts';

/** The state of one member, seen from outside. Never changed: a new one replaces it. */
export interface MemberShot {
  readonly id: MemberId;
  readonly alive: boolean;
  /** False until it runs for the first time: a member that has not started yet is not dead. */
  readonly hasStarted: boolean;
  readonly paused: boolean;
  readonly role: Role;
  readonly leader: MemberId | null;
  readonly term: number | null;
  /** The timer that bounds its leadership. */
  readonly lease: string | null;
  readonly version: number;
  readonly value: Json;
  /** The voters whose votes it has received in this term, itself included, if the protocol has votes. */
  readonly votes: readonly MemberId[];
  readonly clockRate: number;
  readonly disk: string;
}

export interface TimerShot {
  /** As it is fired by name. */
  readonly timer: string;
  /** Without the number that distinguishes leases. */
  readonly name: string;
  readonly setMs: number;
  readonly dueMs: number;
}

/** One entry of the history: a step of a member, or an event outside the members. */
export type Entry = StepEntry | EventEntry;

export interface StepEntry extends TraceStep {
  readonly kind: 'step';
  readonly index: number;
  /** The message that it processed, as a flight. */
  readonly arrival: Flight | null;
  readonly sent: Flight[];
}

export interface EventEntry extends TraceEvent {
  readonly kind: 'event';
  readonly index: number;
}

/** Everything that was ever visible of a run, indexed by time. */
export class History {
  /** The name of the protocol. */
  readonly protocol: string;
  readonly members: MemberId[] = [];
  readonly shots: Map<MemberId, Track<MemberShot>> = new Map();
  readonly timers: Map<MemberId, Map<string, Track<TimerShot | null>>> = new Map();
  /** The blocked links, as `from>to`. */
  readonly blocked: Track<ReadonlySet<string>> = new Track();
  readonly flights: Flights = new Flights();
  readonly entries: Entry[] = [];
  readonly entriesMs: number[] = [];
  /**
   * The members that believed they led, and those that could act, with start and end. An open stretch has no end yet.
   */
  claims: readonly Stretch[] = [];
  acting: readonly Stretch[] = [];
  violations: readonly Violation[] = [];

  constructor(protocol: string) {
    this.protocol = protocol;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.entriesMs.push(entry.atMs);
  }

  /** How many entries there are up to that moment. */
  countAt(ms: number): number {
    return countUpTo(this.entriesMs, ms);
  }

  memberAt(id: MemberId, ms: number): MemberShot | undefined {
    return this.shots.get(id)?.at(ms);
  }

  /** Timers that run at that moment, the next one due first. */
  timersAt(id: MemberId, ms: number): TimerShot[] {
    const running: TimerShot[] = [];
    for (const track of this.timers.get(id)?.values() ?? []) {
      const timer = track.at(ms);
      if (timer && timer.dueMs > ms) running.push(timer);
    }
    return running.sort((a, b) => a.dueMs - b.dueMs);
  }

  /** The timer until which a leader may act. A later one may already run without counting yet. */
  leaseAt({ id, lease }: MemberShot, ms: number): TimerShot | null {
    const track = lease === null ? undefined : this.timers.get(id)?.get(shortName(lease));
    if (track === undefined) return null;
    for (let i = countUpTo(track.timesMs, ms) - 1; i >= 0; i--) {
      const timer = track.values[i];
      if (timer?.timer === lease) return timer.dueMs > ms ? timer : null;
    }
    return null;
  }
}

/** Those of a ledger that were open at that moment. */
export function openAt(stretches: readonly Stretch[], ms: number): Stretch[] {
  const us = Math.round(ms * 1000);
  return stretches.filter((each) => each.fromUs <= us && (each.toUs === null || each.toUs > us));
}

/** The number that distinguishes leases is of no use to a reader. */
export function shortName(timer: string): string {
  return timer.replace(/\/\d+$/, '');
}

/** Was it an event of the scenario, or the answer to one? Random losses of the network are not. */
export function isOrder({ event }: EventEntry): boolean {
  if (event.from === undefined || event.type === undefined) return true;
  return !['lost', 'cut', 'held', 'dropped'].includes(event.do) || event.flight !== undefined;
}

/** Is the entry about this member? */
export function concerns(entry: Entry, id: MemberId): boolean {
  if (entry.kind === 'step') return entry.member === id;
  const { member, from, to, peer } = entry.event;
  return member === id || from === id || to === id || peer === id;
}
