/** Networks that are broken but not apart: `quorum` settles within two timeouts and then stays. */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { readScenario, runWorld, type World } from '../../src/simulation/index.ts';

const BREAK_MS = 2000;
const SETTLE_MS = 600; // Two of the longest timeouts of the preset `lan`.
const QUIET_MS = 60_000;

type Pair = readonly [number, number];

/** Cuts every link that the topology does not have. */
function only(links: readonly Pair[], members: number): object[] {
  const events: object[] = [];
  for (let a = 1; a <= members; a++) {
    for (let b = a + 1; b <= members; b++) {
      const kept = links.some(([x, y]) => (x === a && y === b) || (x === b && y === a));
      if (!kept) events.push({ atMs: BREAK_MS, do: 'cut', from: a, to: b });
    }
  }
  return events;
}

const topologies: Record<string, { members: number; events: object[] }> = {
  'a bridge': {
    members: 5,
    events: only(
      [
        [1, 2],
        [2, 3],
        [1, 3],
        [3, 4],
        [3, 5],
        [4, 5],
      ],
      5,
    ),
  },
  'a chain of three': {
    members: 3,
    events: only(
      [
        [1, 2],
        [2, 3],
      ],
      3,
    ),
  },
  'a ring of majorities': {
    members: 5,
    events: only(
      [
        [1, 2],
        [2, 3],
        [3, 4],
        [4, 5],
        [5, 1],
      ],
      5,
    ),
  },
  'a star': {
    members: 5,
    events: only(
      [
        [1, 2],
        [1, 3],
        [1, 4],
        [1, 5],
      ],
      5,
    ),
  },
  'a leader that is deaf': {
    members: 5,
    events: [{ atMs: BREAK_MS, do: 'cut', from: 'followers', to: 'leader', oneWay: true }],
  },
  'a leader that is mute': {
    members: 5,
    events: [{ atMs: BREAK_MS, do: 'cut', from: 'leader', to: 'followers', oneWay: true }],
  },
};

function run(topology: { members: number; events: object[] }, seed: number, untilMs: number): World {
  const scenario = { protocol: 'quorum', options: { preset: 'lan' }, ...topology, untilMs };
  return runWorld(readScenario(scenario, { quorum }), seed, { freeze: true });
}

describe('partial connectivity', () => {
  for (const [name, topology] of Object.entries(topologies)) {
    it(`${name}: settles within two timeouts, then 0 changes for 60 s, and never two that act`, () => {
      for (let seed = 1; seed <= 20; seed++) {
        const settledMs = BREAK_MS + SETTLE_MS;
        const world = run(topology, seed, settledMs + QUIET_MS);
        const late = world.acting.stretches.filter(({ toUs }) => toUs! > settledMs * 1000);
        expect(late, `seed ${seed}`).toHaveLength(1);
        expect(late[0]!.fromUs, `seed ${seed} settles late`).toBeLessThanOrEqual(settledMs * 1000);
        expect(world.coverage.doubleUs).toBe(0);
        expect(world.violations).toEqual([]);
      }
    });
  }
});

describe('without a majority', () => {
  const split = (members: number, groups: number[][]) => ({
    members,
    events: [{ atMs: BREAK_MS, do: 'partition', groups }],
  });

  it('a minority never yields a leader', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const world = run(
        split(5, [
          [1, 2],
          [3, 4, 5],
        ]),
        seed,
        20_000,
      );
      const late = world.claims.stretches.filter(({ fromUs }) => fromUs > BREAK_MS * 1000);
      expect(
        late.filter(({ member }) => member === 1 || member === 2),
        `seed ${seed}`,
      ).toEqual([]);
      expect(world.acting.open.filter(({ member }) => Number(member) >= 3)).toHaveLength(1);
      expect(world.coverage.doubleUs).toBe(0);
    }
  });

  it('an even split elects nobody, and the old leader stops', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const world = run(
        split(4, [
          [1, 2],
          [3, 4],
        ]),
        seed,
        20_000,
      );
      expect(world.claims.stretches.filter(({ fromUs }) => fromUs > BREAK_MS * 1000)).toEqual([]);
      expect(
        world.claims.open.filter(({ toUs }) => toUs === null),
        `seed ${seed}`,
      ).toEqual([]);
      expect(world.coverage.doubleUs).toBe(0);
    }
  });

  it('losing the majority ends the acting within the lease, and the claim within the timeout', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const events = [{ atMs: BREAK_MS, do: 'crash', member: 'followers' }];
      const world = run({ members: 5, events }, seed, 5000);
      const [acted] = world.acting.stretches.slice(-1);
      const [claimed] = world.claims.stretches.slice(-1);
      expect(acted!.toUs! / 1000 - BREAK_MS, `seed ${seed}`).toBeLessThanOrEqual(125);
      expect(claimed!.toUs! / 1000 - BREAK_MS, `seed ${seed}`).toBeLessThanOrEqual(310); // And the answers under way.
    }
  });
});
