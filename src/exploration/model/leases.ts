import { assertNever, type Delay, type MemberId } from '../../core/index.ts';
import { familyOf } from './bounds.ts';
import { Interner } from './interner.ts';
import { Learned, type Lessons } from './lessons.ts';
import type { Cause, Reaction } from './member.ts';
import { Memo } from './memo.ts';

/** What a step did to its member's timers, as far as leases are concerned. */
export type TimerMark =
  | { readonly kind: 'fired'; readonly timer: string }
  /**
   * `outlasts`: how many of the known lease lengths are at most its shortest delay. `length`: which of them it has
   * itself, or null if it is no lease.
   */
  | {
      readonly kind: 'set';
      readonly timer: string;
      readonly outlasts: number;
      readonly length: number | null;
    }
  | { readonly kind: 'cancelled'; readonly timer: string }
  /** The process died, and its timers with it. */
  | { readonly kind: 'died' };

/** Keys are a member and a timer: "2 lease". */
interface Running {
  /** Every running lease timer; `over` once it must have expired by the clock, though its owner has not noticed. */
  readonly leases: Readonly<Record<string, { readonly length: number; readonly over: boolean }>>;
  /** For each timer, the leases that have expired at the latest when it fires. */
  readonly before: Readonly<Record<string, readonly string[]>>;
}

const NOTHING: Running = { leases: {}, before: {} };

/**
 * The only thing that the explorer knows about time: of two timers, the one that was set earlier and is not longer
 * ends earlier. Any timer may fire at any moment; but when it does, every lease that was set before it and lasts at
 * most as long as the timer's shortest delay has expired by the clock, even if its owner is too slow to notice. That
 * is the reasoning behind a lease (S10): a member that votes for a rival only after its promise has ended knows that
 * the lease, set earlier, has expired too. This is an order among timers and no clock, so there are few states. Sums
 * of delays are not considered, and delays are compared as they are: a protocol that allows for drift shortens its
 * lease itself.
 */
export class Leases {
  readonly running: Interner<Running> = new Interner();
  readonly marks: Interner<readonly TimerMark[]> = new Interner();
  readonly #lessons: Lessons;
  readonly #next = new Memo();
  readonly #members: readonly MemberId[];
  readonly #fires: (timer: string) => boolean;
  readonly #isOff: boolean;

  /**
   * Timers that never fire end no lease, so they are not recorded. With `isOff`, every lease lasts for ever, and
   * states do not differ in it.
   */
  constructor(
    members: readonly MemberId[],
    lessons: Lessons,
    fires: (timer: string) => boolean = () => true,
    isOff = false,
  ) {
    this.#members = members;
    this.#lessons = lessons;
    this.#fires = fires;
    this.#isOff = isOff;
    this.running.id(NOTHING); // Number 0.
    this.marks.id([]); // Number 0.
  }

  /** The marks of a reaction. Learns which timers are leases from the views that name them. */
  marksOf(cause: Cause, { reports, timers, local }: Reaction): TimerMark[] {
    if (this.#isOff) return [];
    for (const { lease } of reports) if (lease !== null && !this.#isLease(lease)) this.#learnTimer(lease);
    if (this.#lessons.leaseTimers.length === 0) return [];
    if (!local.alive) return [{ kind: 'died' }];
    const marks: TimerMark[] = cause.type === 'timer' ? [{ kind: 'fired', timer: cause.timer }] : [];
    for (const { timer, delayMs } of timers) {
      if (!this.matters(timer)) continue;
      if (delayMs === null) marks.push({ kind: 'cancelled', timer });
      else
        marks.push({
          kind: 'set',
          timer,
          outlasts: this.#outlasts(delayMs),
          length: this.#lengthOf(timer, delayMs),
        });
    }
    return marks;
  }

  /** Does it matter whether this timer runs? */
  matters(timer: string): boolean {
    return this.#fires(timer) || (!this.#isOff && this.#isLease(timer));
  }

  /** The marks of a process that dies by itself. */
  get death(): number {
    return this.#lessons.leaseTimers.length === 0 ? 0 : this.marks.id([{ kind: 'died' }]);
  }

  /** `member` is an index. */
  after(running: number, member: number, marks: number): number {
    let next = this.#next.get(running, marks, member);
    if (next < 0) {
      const owner = this.#members[member]!;
      const after = this.marks
        .value(marks)
        .reduce((each, mark) => apply(each, owner, mark), this.running.value(running));
      next = this.running.id(after);
      this.#next.set(next, running, marks, member);
    }
    return next;
  }

  isOver(running: number, member: MemberId, timer: string): boolean {
    return running !== 0 && this.running.value(running).leases[`${member} ${timer}`]?.over === true;
  }

  #isLease(timer: string): boolean {
    return this.#lessons.leaseTimers.includes(familyOf(timer));
  }

  #outlasts(delayMs: Delay): number {
    const leastMs = typeof delayMs === 'number' ? delayMs : delayMs[0];
    return this.#lessons.leaseMs.filter((lengthMs) => lengthMs <= leastMs).length;
  }

  #lengthOf(timer: string, delayMs: Delay): number | null {
    if (!this.#isLease(timer)) return null;
    const mostMs = typeof delayMs === 'number' ? delayMs : delayMs[1];
    const length = this.#lessons.leaseMs.indexOf(mostMs);
    if (length >= 0) return length;
    const leaseMs = [...this.#lessons.leaseMs, mostMs].sort((a, b) => a - b);
    throw new Learned({ ...this.#lessons, leaseMs });
  }

  #learnTimer(timer: string): never {
    const leaseTimers = [...this.#lessons.leaseTimers, familyOf(timer)].sort();
    throw new Learned({ ...this.#lessons, leaseTimers });
  }
}

function apply(running: Running, owner: MemberId, mark: TimerMark): Running {
  switch (mark.kind) {
    case 'fired': {
      const key = `${owner} ${mark.timer}`;
      const leases = { ...running.leases };
      const ended = running.before[key] ?? [];
      for (const lease of ended) leases[lease] = { ...leases[lease]!, over: true };
      return without({ leases, before: withoutLeases(running.before, ended) }, key);
    }
    case 'set': {
      const key = `${owner} ${mark.timer}`;
      const { leases, before } = without(running, key);
      const earlier = Object.keys(leases).filter(
        (lease) => !leases[lease]!.over && leases[lease]!.length < mark.outlasts,
      );
      return {
        leases: mark.length === null ? leases : { ...leases, [key]: { length: mark.length, over: false } },
        before: earlier.length === 0 ? before : { ...before, [key]: earlier.sort() },
      };
    }
    case 'cancelled':
      return without(running, `${owner} ${mark.timer}`);
    case 'died': {
      const mine = [...Object.keys(running.leases), ...Object.keys(running.before)];
      return mine.filter((key) => key.startsWith(`${owner} `)).reduce(without, running);
    }
    default:
      return assertNever(mark);
  }
}

/** A timer that no longer runs has no relation to any other. */
function without({ leases, before }: Running, key: string): Running {
  const { [key]: _, ...otherLeases } = leases;
  const { [key]: __, ...otherBefore } = before;
  return { leases: otherLeases, before: withoutLeases(otherBefore, [key]) };
}

function withoutLeases(before: Running['before'], ended: readonly string[]): Running['before'] {
  const kept = Object.entries(before).map(
    ([key, leases]) => [key, leases.filter((each) => !ended.includes(each))] as const,
  );
  return Object.fromEntries(kept.filter(([, leases]) => leases.length > 0));
}
