import { describe, expect, it } from 'vitest';
import { Timers } from '../../src/host/timers.ts';
import { SystemClock } from '../../src/member/clock.ts';
import { VirtualClock } from './virtual.ts';

describe('the clock', () => {
  it('notices that the machine slept, by how much, and not every correction', () => {
    const time = { monotonicMs: 0, wallMs: 1_000_000 };
    const clock = new SystemClock({ monotonic: () => time.monotonicMs, wall: () => time.wallMs });
    const pass = (monotonicMs: number, wallMs: number): void => {
      time.monotonicMs += monotonicMs;
      time.wallMs += wallMs;
      clock.now();
    };
    pass(5000, 5000);
    pass(5000, 5900);
    pass(5000, 4200);
    pass(1000, -100_000);
    expect(clock.sleeps).toBe(0);
    pass(10, 7210);
    expect(clock.sleeps).toBe(1);
    expect(clock.sleptMs).toBe(7200);
    pass(10, 10);
    expect(clock.sleeps).toBe(1);
  });

  it('never calls before the time', async () => {
    const clock = new SystemClock();
    const early: number[] = [];
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const atMs = clock.now() + i * 0.37;
        return new Promise<void>((resolve) => {
          clock.set(atMs, () => {
            if (performance.now() < atMs) early.push(atMs);
            resolve();
          });
        });
      }),
    );
    expect(early).toEqual([]);
  });

  it('can be called off, also while it waits for the last fraction', async () => {
    const clock = new SystemClock();
    let called = false;
    const cancel = clock.set(clock.now() + 5, () => {
      called = true;
    });
    cancel();
    await new Promise<void>((resolve) => {
      clock.set(clock.now() + 20, resolve);
    });
    expect(called).toBe(false);
  });
});

describe('timers', () => {
  function startTimers(): { clock: VirtualClock; timers: Timers; due: string[] } {
    const clock = new VirtualClock();
    const due: string[] = [];
    const timers = new Timers(
      clock,
      () => 0.5,
      () => timers.runDue((name) => due.push(name)),
    );
    return { clock, timers, due };
  }

  it('come due in the order of their deadlines, also after a stall', () => {
    const { clock, timers, due } = startTimers();
    timers.set('late', 30);
    timers.set('early', 10);
    timers.set('middle', 20);
    clock.stall(100);
    clock.advance(0);
    expect(due).toEqual(['early', 'middle', 'late']);
  });

  it('fire once; one that is set again replaces itself, one that is cancelled never fires', () => {
    const { clock, timers, due } = startTimers();
    timers.set('a', 10);
    timers.set('b', 10);
    timers.set('a', 50);
    timers.cancel('b');
    clock.advance(40);
    expect(due).toEqual([]);
    clock.advance(100);
    expect(due).toEqual(['a']);
  });

  it('go on when one of them fails', () => {
    const clock = new VirtualClock();
    const due: string[] = [];
    const timers = new Timers(
      clock,
      () => 0.5,
      () =>
        timers.runDue((name) => {
          due.push(name);
          if (name === 'bad') throw new Error('bad');
        }),
    );
    timers.set('bad', 10);
    timers.set('good', 20);
    expect(() => clock.advance(15)).toThrow('bad');
    clock.advance(15);
    expect(due).toEqual(['bad', 'good']);
  });

  it('of no length do not stop the clock', () => {
    const clock = new VirtualClock();
    let times = 0;
    const timers = new Timers(
      clock,
      () => 0.5,
      () =>
        timers.runDue(() => {
          times += 1;
          timers.set('again', 0);
        }),
    );
    timers.set('again', 0);
    clock.advance(1);
    expect(times).toBeGreaterThan(10);
    expect(times).toBeLessThan(200);
  });
});
