import { describe, expect, it } from 'vitest';
import { breaksAt, type Shrinking, shrink, type Target } from '../../playground/src/game/cause/shrink.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import type { Run } from '../../playground/src/game/run/run.ts';
import { Random } from '../../src/core/index.ts';
import type { Action, WorldEvent } from '../../src/simulation/index.ts';

/** Fifteen faults that have nothing to do with each other. */
function noisy(seed: number): Run {
  const random = new Random(seed, 'noise');
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  const events = Array.from({ length: 15 }, (_, i): WorldEvent => {
    const member = 1 + pick(5);
    const to = 1 + ((member + pick(4)) % 5);
    const actions: Action[] = [
      { do: 'pause', member },
      { do: 'resume', member },
      { do: 'cut', from: member, to },
      { do: 'heal', from: member, to },
      { do: 'restart', member },
    ];
    return { ...actions[pick(actions.length)]!, atMs: 4000 + i * 1000 };
  });
  return { ...newRun('epoch', 5, seed), untilMs: 25_000, events };
}

function shrunk(run: Run, target: Target): Shrinking & { counts: number[] } {
  const pieces = shrink(run, target);
  const counts: number[] = [];
  for (;;) {
    const { value, done } = pieces.next();
    if (done) return { ...value, counts };
    counts.push(value.run.events.length);
  }
}

describe('shrinking', () => {
  const target = { property: 'S10', lastsMs: 1000 };

  const seeds = Array.from({ length: 20 }, (_, i) => i + 1).filter(
    (seed) => breaksAt(noisy(seed), target) !== null,
  );

  it('has something to do', () => {
    expect(seeds.length).toBeGreaterThan(5);
  });

  for (const seed of seeds) {
    it(`leaves at most three of fifteen events, all of them needed (${seed})`, () => {
      const run = noisy(seed);
      const { run: small, counts } = shrunk(run, target);
      expect(small.events.length).toBeGreaterThan(0);
      expect(small.events.length).toBeLessThanOrEqual(3);
      expect(breaksAt(small, target)).not.toBeNull();
      for (const event of small.events) {
        const without = {
          ...small,
          untilMs: run.untilMs,
          events: small.events.filter((each) => each !== event),
        };
        expect(breaksAt(without, target)).toBeNull();
      }
      expect(small.untilMs).toBeLessThanOrEqual(run.untilMs);
      expect(counts).toEqual([...counts].sort((a, b) => b - a));
      expect(shrunk(run, target).run).toEqual(small);
    });
  }

  it('leaves a run as it is that does not go wrong in that way', () => {
    const run = noisy(3);
    expect(shrunk(run, { property: 'S1', lastsMs: 0 }).run).toEqual(run);
  });

  it('finds that a run goes wrong by itself', () => {
    const run: Run = {
      ...newRun('epoch', 5, 1),
      network: { latencyMs: [100, 350], loss: 0.4 },
      untilMs: 60_000,
      events: [{ atMs: 50_000, do: 'crash', member: 1 }],
    };
    expect(shrunk(run, { property: 'S10', lastsMs: 0 }).run.events).toEqual([]);
  });
});
