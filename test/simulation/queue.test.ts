import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Due, Queue } from '../../src/simulation/queue.ts';

it('the queue gives what is due first, and of one moment what came first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (times) => {
      const queue = new Queue<Due & { n: number }>();
      times.forEach((atUs, n) => {
        queue.push({ atUs, seq: 0, n });
      });
      const expected = times.map((atUs, n) => ({ atUs, n })).sort((a, b) => a.atUs - b.atUs || a.n - b.n);
      const popped: { atUs: number; n: number }[] = [];
      for (let due = queue.pop(); due !== undefined; due = queue.pop())
        popped.push({ atUs: due.atUs, n: due.n });
      expect(popped).toEqual(expected);
    }),
  );
});
