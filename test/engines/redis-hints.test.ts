import { beforeEach, describe, expect, it } from 'vitest';
import { Hints } from '../../src/engines/redis/hints.ts';
import { HandClock } from '../election/support.ts';

let clock: HandClock;
let told: (string | null)[];
let hints: Hints;

beforeEach(() => {
  clock = new HandClock();
  told = [];
  hints = new Hints(3, clock, (message) => told.push(message));
});

describe('the messages of three masters', () => {
  it('are passed on once, when a majority has published them', async () => {
    hints.hear(0, 'freed a 1');
    expect(told).toEqual([]);
    hints.hear(2, 'freed a 1');
    expect(told).toEqual(['freed a 1']);
    hints.hear(1, 'freed a 1');
    await clock.pass(100);
    expect(told).toEqual(['freed a 1']);
  });

  it('are passed on by one master alone after a moment, and again with the majority', async () => {
    hints.hear(0, 'won a 1');
    await clock.pass(20);
    expect(told).toEqual(['won a 1']);
    hints.hear(1, 'won a 1');
    expect(told).toEqual(['won a 1', 'won a 1']);
    hints.hear(2, 'won a 1');
    await clock.pass(100);
    expect(told).toHaveLength(2);
  });

  it('do not pile up if one master publishes what no other does', async () => {
    for (let i = 0; i < 1000; i++) hints.hear(0, `value a ${i}`);
    expect(clock.pending).toBe(16);
    hints.close();
    expect(clock.pending).toBe(0);
  });
});
