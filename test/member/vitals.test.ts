/** How late a process was in the last minute: its event loop, and its saves. */
import { describe, expect, it } from 'vitest';
import { forgetfulStore } from '../../src/member/data-folder.ts';
import { LoopLag, timedStore, WorstOfMinute } from '../../src/member/vitals.ts';

function block(forMs: number): void {
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs);
}

describe('the worst of the last minute', () => {
  it('is kept for a minute, and then forgotten', () => {
    const worst = new WorstOfMinute();
    expect(worst.at(0)).toEqual({ worstMs: 0, lastMs: null });
    worst.add(700, 5000);
    worst.add(3, 6000);
    worst.add(4, 30_000);
    expect(worst.at(59_999)).toEqual({ worstMs: 700, lastMs: 4 });
    expect(worst.at(60_000)).toEqual({ worstMs: 4, lastMs: 4 });
    expect(worst.at(200_000)).toEqual({ worstMs: 0, lastMs: 4 });
  });
});

describe('the event loop', () => {
  it('was blocked, which is told at once', () => {
    const lag = new LoopLag();
    block(800);
    expect(lag.recent.worstMs).toBeGreaterThan(250);
    lag.close();
  });
});

describe('a save', () => {
  it('is measured, also one that fails', () => {
    const saves = new WorstOfMinute();
    const store = forgetfulStore('main');
    const slow = {
      ...store,
      election: () => ({
        load: () => null,
        save: () => {
          block(50);
          throw new Error('full');
        },
      }),
    };
    expect(() => timedStore(slow, saves).election('main', 'quorum').save(null)).toThrow('full');
    expect(saves.at(performance.now()).worstMs).toBeGreaterThanOrEqual(50);
  });
});
