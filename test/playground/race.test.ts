import { describe, expect, it } from 'vitest';
import type { Run } from '../../playground/src/game/run/run.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { STORIES } from '../../playground/src/pages/gallery/scenarios.ts';
import { PROTOCOLS } from '../../playground/src/pages/gallery/verdicts.ts';
import { asRaced, faultsFor, handsIn, racesOf, toggled } from '../../playground/src/pages/race/entrants.ts';
import { measure } from '../../playground/src/pages/race/measure.ts';
import { scoreAt } from '../../playground/src/pages/race/score.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';

describe('a race', () => {
  it('keeps the same score as the command', () => {
    for (const story of ['isolate-leader', 'pause-leader', 'lossy', 'star']) {
      for (const run of racesOf(story, PROTOCOLS, 3)) {
        const timeline = new Timeline(run);
        timeline.extendTo(run.untilMs);
        const score = scoreAt(timeline.history, run.untilMs);
        const result = simulate(readScenario(run, catalogue), run.seed);
        const about = { story, protocol: run.protocol };
        expect({ ...about, changes: score.changes }).toEqual({ ...about, changes: result.changes });
        expect(score.darkMs).toBeCloseTo(result.darkMs, 2);
        expect(score.doubleMs).toBeCloseTo(result.doubleMs, 2);
        expect(score.firstLeaderMs).toBe(result.acting[0]?.fromMs ?? null);
        if (story !== 'lossy') expect(score.messages).toBe(result.messages.total);
      }
    }
  });

  it('gives everybody the same story and seed, and has two to four of them', () => {
    const runs = racesOf('bridge', ['epoch', 'quorum'], 9);
    expect(runs.map(({ protocol, seed }) => [protocol, seed])).toEqual([
      ['epoch', 9],
      ['quorum', 9],
    ]);
    expect(runs[0]!.events).toEqual(runs[1]!.events);
    expect(racesOf('nothing', ['epoch', 'ring'], 1)[0]!.events).toEqual(STORIES[0]!.events);
    expect(toggled(['a', 'b'], 'a')).toEqual(['a', 'b']);
    expect(toggled(['a', 'b'], 'c')).toEqual(['a', 'b', 'c']);
    expect(toggled(['a', 'b', 'c', 'd'], 'e')).toEqual(['a', 'b', 'c', 'd']);
    expect(toggled(['a', 'b', 'c'], 'b')).toEqual(['a', 'c']);
  });

  it('has faults that do something in every election', () => {
    for (const run of racesOf('quiet-start', PROTOCOLS, 15)) {
      for (const { name, actions } of faultsFor(5).slice(0, 4)) {
        const timeline = new Timeline(run);
        timeline.extendTo(8000);
        timeline.act(actions);
        const skipped = timeline.history.entries.filter(
          (each) => each.kind === 'event' && each.event.skipped,
        );
        expect({ protocol: run.protocol, name, skipped }).toMatchObject({ skipped: [] });
        timeline.act(faultsFor(5)[4]!.actions);
        expect(timeline.history.blocked.last?.size ?? 0).toBe(0);
      }
    }
  });

  it('measures what was done by hand as well, over the whole length', () => {
    const runs = racesOf('quiet-start', ['epoch', 'quorum'], 15);
    const timelines = runs.map((run) => new Timeline(run));
    for (const timeline of timelines) {
      timeline.extendTo(8000);
      timeline.act([{ do: 'crash', member: 'leader' }]);
    }
    expect(timelines.map((timeline, i) => handsIn(runs[i]!, timeline))).toEqual([1, 1]);
    const raced = asRaced(runs, timelines);
    expect(raced.map(({ untilMs }) => untilMs)).toEqual([60_000, 60_000]);
    const gapOf = (run: Run): number | null => [...measure(run, 4)].at(-1)!.takeoverMs.p50;
    expect(gapOf(runs[1]!)).toBeNull();
    expect(gapOf(raced[1]!)).toBeGreaterThan(500);
  });

  it('measures takeovers over many seeds', () => {
    const [run] = racesOf('leader-crash', ['quorum'], 1);
    const work = measure(run!, 8);
    const steps = [...work];
    expect(steps.map(({ seeds }) => seeds)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const { takeoverMs, doubleMs, messages } = steps.at(-1)!;
    expect(takeoverMs.p50).toBeGreaterThan(1000);
    expect(takeoverMs.p99).toBeGreaterThanOrEqual(takeoverMs.p50!);
    expect(doubleMs).toBe(0);
    expect(messages).toBeGreaterThan(100);
  });
});
