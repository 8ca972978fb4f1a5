/** A replica that has missed fire times leaves its next one to the others, in virtual time. */
import { describe, expect, it } from 'vitest';
import { Election, othersFirst } from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { VirtualClock } from './virtual-clock.ts';

const clock = new VirtualClock('2026-11-16T03:00:00.000Z');
const at = (second: number): string => new Date(Date.UTC(2026, 10, 16, 3, 0, second)).toISOString();

/** Two replicas. The first one has run a fire time, and the second one waits with a later one. */
async function waiting(occasion: string) {
  const memory = new Memory(clock);
  const [first, second] = ['first', 'second'].map(
    (name) => new Election('report', memory.engine({ name, clock }), { clock }),
  ) as [Election, Election];
  const done = first.once(at(0), () => {});
  await clock.advance(10);
  const { token } = await done;
  let isOver = false;
  const over = othersFirst(second, 'main', occasion, undefined).then(() => {
    isOver = true;
  });
  return { first, token, over, isOver: () => isOver };
}

describe('a replica that has missed fire times', () => {
  it('waits while another one works through what it knows of, however long that takes', async () => {
    const { first, over, isOver } = await waiting(at(5));
    let finish = (): void => {};
    for (let second = 1; second <= 5; second++) {
      const run = first.once(at(second), () => new Promise<void>((resolve) => (finish = resolve)));
      await clock.advance(second === 3 ? 150_000 : 40_000); // One run is longer than it would wait for others that do nothing.
      expect(isOver()).toBe(false);
      finish();
      await clock.advance(0);
      await run;
    }
    await clock.advance(10);
    await over;
  });

  it('takes a stall of its own for no sign that the others want nothing', async () => {
    const { first, token } = await waiting(at(5));
    await clock.advance(1000); // There is no leader.
    for (let times = 0; times < 5; times++) clock.stall(4000);
    const run = first.once(at(1), () => {});
    await clock.advance(10);
    expect((await run).token).toBe(token + 1n); // The one that waits was not elected before.
  });

  it('goes on once no other one has wanted to lead for 6 s', async () => {
    const { over, isOver } = await waiting(at(5));
    await clock.advance(5900);
    expect(isOver()).toBe(false);
    await clock.advance(400);
    await over;
  });
});
