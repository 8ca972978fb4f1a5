import { describe, expect, it } from 'vitest';
import { SenderBudgets } from '../../src/member/sender-budgets.ts';
import { VirtualClock } from './virtual.ts';

describe('how much of the disk a sender may use', () => {
  const setUp = (): { clock: VirtualClock; budgets: SenderBudgets } => {
    const clock = new VirtualClock();
    return { clock, budgets: new SenderBudgets(clock, () => 1) };
  };

  it('is bounded in saves', () => {
    const { clock, budgets } = setUp();
    for (let i = 0; i < 210; i++) budgets.saved('b', 0.1);
    expect([budgets.maySave('b'), budgets.maySave('c')]).toEqual([false, true]);
    clock.advance(20);
    expect(budgets.maySave('b')).toBe(true);
  });

  it('is nearly all for the leader, which publishes one value after the other, and counted apart', () => {
    const { clock, budgets } = setUp();
    // Two saves of 20 ms for each value, and 5 ms between them, for a minute.
    for (let ms = 0; ms < 60_000; ms += 45) {
      expect(budgets.maySave('b', true)).toBe(true);
      for (const tookMs of [20, 20]) {
        budgets.saved('b', tookMs, true);
        clock.advance(tookMs);
      }
      clock.advance(5);
    }
    for (let i = 0; i < 210; i++) budgets.saved('b', 0.1);
    expect([budgets.maySave('b'), budgets.maySave('b', true)]).toEqual([false, true]);
  });

  it('is remembered of senders that have used some of it, however many others come', () => {
    const { clock, budgets } = setUp();
    for (let i = 0; i < 210; i++) budgets.saved('b', 0.1);
    for (let i = 0; i < 5000; i++) expect(budgets.maySave(`x${i}`)).toBe(true);
    expect(budgets.maySave('b')).toBe(false);
    clock.advance(20);
    expect(budgets.maySave('b')).toBe(true);
  });

  it('is not used up by one save of a disk that stalled', () => {
    const { budgets } = setUp();
    budgets.saved('b', 30_000);
    expect(budgets.maySave('b')).toBe(true);
  });

  it('lets a sender be heard again soon, however slow the disk is', () => {
    const { clock, budgets } = setUp();
    let saves = 0;
    for (; budgets.maySave('b'); saves++) budgets.saved('b', 1000);
    // An election, with what its winner publishes, causes fewer.
    expect(saves).toBeGreaterThanOrEqual(10);
    clock.advance(250);
    expect(budgets.maySave('b')).toBe(true);
  });
});
