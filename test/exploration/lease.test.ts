/** "what was set earlier and is not longer ends earlier": how the explorer, which has no clock, judges leases (S10). */
import { describe, expect, it } from 'vitest';
import type { Delay } from '../../src/core/index.ts';
import { type Exploration, explore } from '../../src/exploration/index.ts';
import { Leases } from '../../src/exploration/model/leases.ts';
import { Learned, type Lessons, NO_LESSONS } from '../../src/exploration/model/lessons.ts';
import type { Cause, Reaction } from '../../src/exploration/model/member.ts';
import { type TenancyBugs, tenancy } from '../support/tenancy.ts';

function check(bugs: TenancyBugs, crashes = 0): Exploration {
  const members = [1, 2, 3].map((id) => ({ id }));
  return explore({
    protocol: tenancy(bugs),
    members,
    bounds: { crashes, counters: { round: 2 } },
    samples: 0,
  });
}

describe('a leader with a lease, three members', () => {
  it('never acts beside another, even if it is too slow to hear that its lease has ended', () => {
    const result = check({});
    expect(result).toMatchObject({ complete: true, violations: [], states: 2539 });
    expect(result.sometimes['two members have led']).toBe(true);
  });

  it('does so across restarts, if whoever starts waits out what it may have promised', () => {
    expect(check({}, 1)).toMatchObject({ complete: true, violations: [] });
  });

  const bugs: readonly [bug: keyof TenancyBugs, crashes: number, acts: number, why: string][] = [
    ['fromReceipt', 0, 13, 'the lease is measured from the receipt of an answer'],
    ['shortPromise', 0, 13, 'the promise is shorter than the lease'],
    ['anyRound', 0, 15, 'an answer to an earlier question counts'],
    ['forgetful', 1, 11, 'a promise is forgotten in a restart'],
    ['anyLife', 1, 17, 'an answer to a question of an earlier life counts'],
  ];
  for (const [bug, crashes, acts, why] of bugs) {
    it(`acts beside another if ${why}`, () => {
      const { violations, complete } = check({ [bug]: true }, crashes);
      expect(complete).toBe(true);
      expect(violations).toHaveLength(1);
      expect(violations[0]).toMatchObject({ property: 'S10', claimed: true, shortest: true });
      expect(violations[0]!.acts).toHaveLength(acts);
    });
  }
});

describe('the order among timers', () => {
  const lessons: Lessons = { ...NO_LESSONS, leaseTimers: ['lease'], leaseMs: [100] };

  /** What a step with these timers means, in the order in which they were set. */
  function marks(leases: Leases, cause: Cause, timers: Record<string, Delay | null>): number {
    const changes = Object.entries(timers).map(([timer, delayMs]) => ({ timer, delayMs }));
    const reaction = { reports: [], timers: changes, local: { alive: true } } as unknown as Reaction;
    return leases.marks.id(leases.marksOf(cause, reaction));
  }

  const message: Cause = { type: 'peer-back', peer: 9 };
  const fired = (timer: string): Cause => ({ type: 'timer', timer });

  /** Member 1 sets its lease, then or before member 2 sets `promise` for so long, which then fires. */
  function isOver(promiseMs: Delay, leaseFirst: boolean): boolean {
    const leases = new Leases([1, 2], lessons);
    const lease = marks(leases, message, { lease: 100 });
    const promise = marks(leases, message, { promise: promiseMs });
    const both = leaseFirst
      ? leases.after(leases.after(0, 0, lease), 1, promise)
      : leases.after(leases.after(0, 1, promise), 0, lease);
    return leases.isOver(leases.after(both, 1, marks(leases, fired('promise'), {})), 1, 'lease');
  }

  it('a lease has ended when a timer fires that was set later and is no shorter', () => {
    expect(isOver(100, true)).toBe(true);
    expect(isOver([100, 200], true)).toBe(true);
  });

  it('and may go on if that timer was set earlier, or may be shorter', () => {
    expect(isOver(100, false)).toBe(false);
    expect(isOver(99, true)).toBe(false);
    expect(isOver([99, 200], true)).toBe(false);
  });

  it('a lease that is set again counts from then on', () => {
    const leases = new Leases([1, 2], lessons);
    const lease = marks(leases, message, { lease: 100 });
    const promise = marks(leases, message, { promise: 100 });
    const again = leases.after(leases.after(leases.after(0, 0, lease), 1, promise), 0, lease);
    expect(leases.isOver(leases.after(again, 1, marks(leases, fired('promise'), {})), 1, 'lease')).toBe(
      false,
    );
  });

  it('nothing is left of timers that fired, were cancelled, or died with their process', () => {
    const leases = new Leases([1, 2], lessons);
    const lease = leases.after(0, 0, marks(leases, message, { lease: 100 }));
    const both = leases.after(lease, 1, marks(leases, message, { promise: 100 }));
    expect(leases.after(both, 1, marks(leases, message, { promise: null }))).toBe(lease);
    expect(leases.after(both, 0, leases.death)).toBe(0);
    expect(leases.after(lease, 0, marks(leases, fired('lease'), {}))).toBe(0);
  });

  it('which timers are leases, and how long they run, is learned from the views that name them', () => {
    const learned = (known: Lessons, reports: object[], timers: object[]): Lessons => {
      try {
        const reaction = { reports, timers, local: { alive: true } } as unknown as Reaction;
        new Leases([1, 2], known).marksOf(message, reaction);
      } catch (error) {
        if (error instanceof Learned) return error.lessons;
        throw error;
      }
      return known;
    };
    const named = learned(NO_LESSONS, [{ lease: 'lease/17' }], []);
    expect(named.leaseTimers).toEqual(['lease/#']);
    expect(learned(named, [{ lease: 'lease/18' }], [])).toBe(named);
    const timed = learned(named, [], [{ timer: 'lease/3', delayMs: [50, 80] }]);
    expect(timed.leaseMs).toEqual([80]);
  });
});
