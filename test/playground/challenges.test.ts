import { describe, expect, it } from 'vitest';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import {
  type Challenge,
  type Standing,
  standingOf,
} from '../../playground/src/pages/challenges/challenge.ts';
import { LADDER } from '../../playground/src/pages/challenges/ladder.ts';
import { readProgress, withSolved } from '../../playground/src/pages/challenges/progress.ts';
import { stormOf } from '../../playground/src/pages/challenges/storm.ts';
import type { MemberId } from '../../src/core/index.ts';
import type { Action } from '../../src/simulation/index.ts';

/** What is done when, by somebody who sees who leads. */
type Solution = readonly [atMs: number, acts: (leader: MemberId, others: readonly MemberId[]) => Action[]][];

const SOLUTIONS: Readonly<Record<string, { acts: Solution; untilMs: number }>> = {
  'two-leaders': {
    acts: [[5000, (leader, others) => [{ do: 'partition', groups: [[leader], others] }]]],
    untilMs: 12_000,
  },
  'one-link': { acts: [[5000, (from, [to]) => [{ do: 'cut', from, to: to! }]]], untilMs: 12_000 },
  'for-good': { acts: [[5000, (from, [to]) => [{ do: 'cut', from, to: to! }]]], untilMs: 40_000 },
  'same-epoch': {
    acts: [
      [5000, (leader, others) => [{ do: 'partition', groups: [[leader], others] }]],
      [5100, (_, others) => [{ do: 'restart', member: others[0]!, amnesia: true }]],
      [5200, (_, others) => [{ do: 'restart', member: others[1]!, amnesia: true }]],
    ],
    untilMs: 15_000,
  },
  dethrone: { acts: [[5000, (from, [to]) => [{ do: 'cut', from, to: to!, oneWay: true }]]], untilMs: 12_000 },
  'no-rest': {
    acts: [0, 1].map((i) => [
      5000 + i,
      (leader, others): Action[] => {
        const deaf = others[0]!;
        const from = [leader, ...others].filter((id) => id !== deaf)[i]!;
        return [{ do: 'cut', from, to: deaf, oneWay: true }];
      },
    ]),
    untilMs: 30_000,
  },
  // With a speed that the page offers.
  clocks: { acts: [[8000, (member) => [{ do: 'clock', member, rate: 0.5 }]]], untilMs: 20_000 },
};

function standing(challenge: Challenge, timeline: Timeline): Standing {
  const { history, events, headMs } = timeline;
  return standingOf(challenge, { history, events, headMs });
}

function play(challenge: Challenge, { acts, untilMs }: { acts: Solution; untilMs: number }): Standing {
  const timeline = new Timeline(challenge.run);
  let who: { leader: MemberId; others: MemberId[] } | null = null;
  for (const [atMs, act] of acts) {
    timeline.extendTo(atMs);
    const leader = timeline.world.leaders[0]!;
    who ??= { leader, others: timeline.history.members.filter((id) => id !== leader) };
    expect(standing(challenge, timeline).solved).toBe(false);
    timeline.act(act(who.leader, who.others));
  }
  timeline.extendTo(untilMs);
  return standing(challenge, timeline);
}

describe('the challenges', () => {
  for (const challenge of LADDER) {
    const solution = SOLUTIONS[challenge.id];
    if (solution === undefined) continue;
    it(`“${challenge.title}” can be solved, with a star`, () => {
      const { solved, progress, actionsUsed } = play(challenge, solution);
      expect({ solved, progress }).toMatchObject({ solved: true });
      expect(actionsUsed).toBeLessThanOrEqual(challenge.par!);
      expect(progress).not.toMatch(/undefined|NaN/);
    });
  }

  it('are not solved by waiting', () => {
    for (const challenge of LADDER) {
      const timeline = new Timeline(challenge.run);
      for (const ms of [0, 3000, 30_000]) {
        timeline.extendTo(ms);
        expect({ id: challenge.id, ...standing(challenge, timeline) }).toMatchObject({
          solved: false,
          actionsUsed: 0,
        });
      }
    }
  });

  it('all have a solution here, but for the one that has none', () => {
    expect(LADDER.map(({ id }) => id)).toEqual([...Object.keys(SOLUTIONS), 'unbroken']);
  });

  it('do not take what is not allowed', () => {
    const [, oneLink, forGood, , dethrone] = LADDER as Challenge[];
    const crash = play(oneLink!, { acts: [[5000, (member) => [{ do: 'crash', member }]]], untilMs: 9000 });
    expect(crash).toEqual({
      solved: false,
      progress: '“kill” does not count here. Rewind to before it, or start again.',
      actionsUsed: 1,
    });
    const cuts: Solution = [
      [5000, (from, [to]) => [{ do: 'cut', from, to: to! }]],
      [5001, (from, [, to]) => [{ do: 'cut', from, to: to! }]],
    ];
    expect(play(oneLink!, { acts: cuts, untilMs: 12_000 }).progress).toMatch(/more than one link/);
    const split: Solution = [[5000, (leader, others) => [{ do: 'partition', groups: [[leader], others] }]]];
    expect(play(forGood!, { acts: split, untilMs: 40_000 })).toMatchObject({ solved: false });
    const healed: Solution = [...split, [12_000, () => [{ do: 'heal' }]]];
    expect(play(dethrone!, { acts: healed, untilMs: 20_000 }).progress).toMatch(/cut off from a majority/);
  });

  it('count no rest before the last action', () => {
    const challenge = LADDER.find(({ id }) => id === 'no-rest')!;
    const { acts } = SOLUTIONS['no-rest']!;
    const late: Solution = [...acts, [12_000, () => [{ do: 'heal', from: 1, to: 2 }]]];
    expect(play(challenge, { acts: late, untilMs: 20_000 })).toMatchObject({ solved: false, actionsUsed: 3 });
  });
});

describe('the one that cannot be won', () => {
  it('survives fifty storms, and counts their faults', () => {
    const challenge = LADDER.at(-1)!;
    const seen = new Set<string>();
    for (let seed = 1; seed <= 50; seed++) {
      const timeline = new Timeline(stormOf(challenge.run, seed));
      timeline.extendTo(20_000);
      const { solved, progress } = standing(challenge, timeline);
      expect({ seed, solved, progress }).toMatchObject({ solved: false });
      const faults = Number(/survived (\d+) faults/.exec(progress)![1]);
      expect(faults).toBeGreaterThan(10);
      for (const entry of timeline.history.entries) if (entry.kind === 'event') seen.add(entry.event.do);
    }
    for (const fault of ['crash', 'restart', 'pause', 'partition', 'cut', 'network', 'disk']) {
      expect(seen).toContain(fault);
    }
  });
});

describe('what was solved', () => {
  it('is kept, and nothing else is believed', () => {
    expect(readProgress(null)).toEqual({});
    expect(readProgress('{"two-leaders":2,"one-link":"1","for-good":-1,"paxos":1,"clocks":1.5}')).toEqual({
      'two-leaders': 2,
    });
    for (const bad of ['{', '[]', 'null', '3', '"x"']) expect(readProgress(bad)).toEqual({});
    expect(withSolved({ clocks: 3 }, 'clocks', 2)).toEqual({ clocks: 2 });
    expect(withSolved({ clocks: 3 }, 'clocks', 5)).toEqual({ clocks: 3 });
  });
});
