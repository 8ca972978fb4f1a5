/** When the histories of many elections are written. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WriteTurns } from '../../src/member/write-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let written: number[] = [];
beforeEach(() => {
  written = [];
});

const add = (turns: WriteTurns, from: number, until: number): void => {
  for (let i = from; i < until; i++)
    void turns.take(async () => {
      written.push(i);
    });
};
const count = async (ms: number): Promise<number> => {
  await vi.advanceTimersByTimeAsync(ms);
  return written.length;
};

it('writes a few at once, one after the other', async () => {
  add(new WriteTurns(), 0, 32);
  expect(await count(0)).toBe(32);
  expect(written).toEqual(Array.from({ length: 32 }, (_, i) => i));
});

it('waits with many until none was added for a tenth of a second', async () => {
  const turns = new WriteTurns();
  add(turns, 0, 100);
  expect(await count(90)).toBe(0);
  add(turns, 100, 101);
  expect(await count(90)).toBe(0);
  expect(await count(20)).toBe(101);
});

it('waits no longer than a second, however many are added', async () => {
  const turns = new WriteTurns();
  for (let i = 0; i < 100; i++) {
    add(turns, i * 50, (i + 1) * 50);
    await vi.advanceTimersByTimeAsync(50);
    expect(50 * (i + 1) - written.length).toBeLessThanOrEqual(50 * 22);
  }
  expect(await count(200)).toBe(5000);
});

it('writes at once what waits when a member closes, and lets later ones wait again', async () => {
  const turns = new WriteTurns();
  add(turns, 0, 100);
  await vi.advanceTimersByTimeAsync(10);
  turns.hurry();
  expect(await count(0)).toBe(100);
  add(turns, 100, 200);
  expect(await count(90)).toBe(100);
  expect(await count(20)).toBe(200);
});
