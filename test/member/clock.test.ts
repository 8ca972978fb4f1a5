import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Timers } from '../../src/host/timers.ts';
import { join } from '../../src/index.ts';
import { SystemClock } from '../../src/member/clock.ts';
import { VirtualClock } from './virtual.ts';

describe('the clock', () => {
  it('notices that the machine slept, by how much, and not every correction', () => {
    const time = { monotonicMs: 0, wallMs: 1_000_000 };
    const clock = new SystemClock({ monotonic: () => time.monotonicMs, wall: () => time.wallMs, boot: null });
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

  describe('where the system tells how long ago the machine was started', () => {
    const STEP_MS = 10;
    const open = (stepMs: number) => {
      const time = { monotonicMs: 0, sleptMs: 0, clock: null as unknown as SystemClock };
      const startedMs = 86_400_123;
      time.clock = new SystemClock({
        monotonic: () => time.monotonicMs,
        wall: () => 1_000_000 + time.monotonicMs, // Nothing to be seen here.
        boot: () => Math.floor((startedMs + time.monotonicMs + time.sleptMs) / stepMs) * stepMs,
      });
      return time;
    };

    it('notices every sleep of 40 ms and more, and never one of less than 20 ms', () => {
      for (let phaseMs = 0; phaseMs < 2 * STEP_MS; phaseMs += 0.7)
        for (const [sleptMs, isSeen] of [
          [40, true],
          [900, true],
          [19, false],
        ] as const) {
          const time = open(STEP_MS);
          time.monotonicMs += phaseMs;
          time.clock.now();
          time.monotonicMs += 3.3;
          time.sleptMs += sleptMs;
          time.clock.now();
          expect(time.clock.sleeps, `${sleptMs} ms, phase ${phaseMs}`).toBe(isSeen ? 1 : 0);
          if (isSeen) expect(Math.abs(time.clock.sleptMs - sleptMs)).toBeLessThanOrEqual(STEP_MS);
        }
    });

    it('takes a day without a sleep for none, and adds up sleeps that are too short to be seen', () => {
      const time = open(STEP_MS);
      for (let looks = 0; looks < 10_000; looks++) {
        time.monotonicMs += 8640.37;
        time.clock.now();
      }
      expect(time.clock.sleeps).toBe(0);
      for (let sleeps = 0; sleeps < 8; sleeps++) {
        time.sleptMs += 15;
        time.monotonicMs += 100;
        time.clock.now();
      }
      expect(time.clock.sleeps).toBeGreaterThanOrEqual(2);
    });

    it('does not use a clock that tells whole seconds only', () => {
      const time = open(1000);
      for (let looks = 0; looks < 1000; looks++) {
        time.monotonicMs += 337;
        time.clock.now();
      }
      expect(time.clock.sleeps).toBe(0);
    });

    it('is not deceived by interruptions between two readings', () => {
      let nowMs = 0;
      let interruptMs = 200;
      const clock = new SystemClock({
        monotonic: () => nowMs,
        wall: () => 1_000_000 + nowMs,
        boot: () => {
          const bootMs = 5_001_230 + nowMs;
          nowMs += interruptMs;
          return bootMs;
        },
      });
      for (let looks = 0; looks < 100; looks++) {
        interruptMs = looks % 2 === 0 ? 200 : 0;
        nowMs += 10;
        clock.now();
      }
      expect(clock.sleeps).toBe(0);
    });

    describe.runIf(process.platform === 'linux')('a leader', () => {
      afterEach(() => {
        vi.restoreAllMocks();
      });

      it('may not act after a sleep of 40 ms, and says so', { timeout: 30_000 }, async () => {
        const real = fs.readSync.bind(fs);
        let sleptMs = 0;
        vi.spyOn(fs, 'readSync').mockImplementation(((
          fd: number,
          bytes: Buffer,
          ...rest: [number, number, number]
        ) => {
          const length = real(fd, bytes, ...rest);
          const told = /^(\d+\.\d\d) \d+\.\d\d\n$/.exec(bytes.toString('latin1', 0, length));
          if (told === null) return length;
          return bytes.write(`${(Number(told[1]) + sleptMs / 1000).toFixed(2)} 0.00\n`);
        }) as typeof fs.readSync);
        const member = await join({ id: 'a', peers: [] });
        try {
          const leadership = await member.election().campaign();
          leadership.assert();
          sleptMs = 45;
          const startedMs = performance.now();
          while (performance.now() - startedMs < 2); // It is looked at once a millisecond.
          expect(() => leadership.assert()).toThrow();
          await leadership.resign();
          await vi.waitFor(() =>
            expect(member.elections[0]?.history.map(({ cause }) => cause)).toContain('suspended'),
          );
        } finally {
          await member.close();
        }
      });
    });
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
    const wake = (): void => timers.runDue((name) => due.push(name));
    const timers = new Timers(clock, { fraction: () => 0.5 }, { wake });
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
    const wake = (): void =>
      timers.runDue((name) => {
        due.push(name);
        if (name === 'bad') throw new Error('bad');
      });
    const timers = new Timers(clock, { fraction: () => 0.5 }, { wake });
    timers.set('bad', 10);
    timers.set('good', 20);
    expect(() => clock.advance(15)).toThrow('bad');
    clock.advance(15);
    expect(due).toEqual(['bad', 'good']);
  });

  it('of no length do not stop the clock', () => {
    const clock = new VirtualClock();
    let times = 0;
    const wake = (): void =>
      timers.runDue(() => {
        times += 1;
        timers.set('again', 0);
      });
    const timers = new Timers(clock, { fraction: () => 0.5 }, { wake });
    timers.set('again', 0);
    clock.advance(1);
    expect(times).toBeGreaterThan(10);
    expect(times).toBeLessThan(200);
  });
});
