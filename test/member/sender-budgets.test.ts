/** How much of the disk of a member each sender may use. */
import { expect, it } from 'vitest';
import { SenderBudgets } from '../../src/member/sender-budgets.ts';
import { VirtualClock } from './virtual.ts';

it('a sender whose message met a disk that stalled is heard again within about a second', () => {
  const clock = new VirtualClock();
  const budgets = new SenderBudgets(clock, () => 1);
  clock.stall(3500);
  budgets.saved('a', 3500);
  expect(budgets.maySave('a')).toBe(false);
  expect(budgets.maySave('b')).toBe(true);
  clock.advance(1010);
  expect(budgets.maySave('a')).toBe(true);
});

it('a sender that causes a save with every message is held to the rate of an honest one', () => {
  const clock = new VirtualClock();
  const budgets = new SenderBudgets(clock, () => 1);
  let saves = 0;
  for (let tenth = 0; tenth < 100_000; tenth++) {
    if (budgets.maySave('liar')) {
      budgets.saved('liar', 0.1);
      saves += 1;
    }
    clock.advance(0.1);
  }
  // 210 at once, and 101 in each of ten seconds.
  expect(saves).toBeGreaterThan(1200);
  expect(saves).toBeLessThan(1230);
});
