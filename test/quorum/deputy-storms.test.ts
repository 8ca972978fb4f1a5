/** Storms about deputies alone: the protocol as it is stands before them, and most of the bugs that are planted in deputies fall. */
import { describe, expect, it } from 'vitest';
import type { Definition, Protocol } from '../../src/core/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { drawDeputyStorm, readScenario, runDeputyStorm } from '../../src/simulation/index.ts';
import { scenarioOf } from '../../src/simulation/swarm/storm.ts';
import { deputySeeds, unseen } from './deputy-seeds.ts';
import { deputies } from './mutants/deputies.ts';
import { load } from './mutate.ts';

const AT_ONCE = 200;
const repro = (seed: number): string => `npx tsx verify/storms.ts --deputies 1 ${seed}`;

describe('a storm about deputies', () => {
  it('is drawn from its seed alone, and can be saved and read again', () => {
    expect(drawDeputyStorm(quorum, 7)).toEqual(drawDeputyStorm(quorum, 7));
    const drawn = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const scenario = scenarioOf(drawDeputyStorm(quorum, seed));
      expect(() => readScenario(scenario, catalogue), repro(seed)).not.toThrow();
      drawn.add(JSON.stringify(scenario));
    }
    expect(drawn.size).toBe(200);
  });

  it('has takeovers, in most of the seeds', () => {
    let takeovers = 0;
    const watched = watching(() => {
      takeovers += 1;
    });
    let stormy = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const before = takeovers;
      runDeputyStorm(watched, seed);
      if (takeovers > before) stormy += 1;
    }
    expect(stormy).toBeGreaterThan(20);
  });
});

/** The same election; says when a deputy takes over. */
function watching(onTakeover: () => void): Definition {
  return {
    ...quorum,
    create(config) {
      const protocol: Protocol = quorum.create(config);
      return {
        ...protocol,
        step(state, input, out) {
          const before = (state as { succeeds: unknown }).succeeds;
          protocol.step(state, input, out);
          const { succeeds } = state as { succeeds: unknown };
          if (succeeds !== null && before !== succeeds) onTakeover();
        },
      };
    },
  };
}

describe('deputies as they are', () => {
  it.each([1, 201, 100_000, 100_200].map((first) => [first] as const))(
    'break no promise in storms, from seed %i on',
    (first) => {
      for (let seed = first; seed < first + AT_ONCE; seed++)
        expect(runDeputyStorm(quorum, seed).failure, repro(seed)).toBeNull();
    },
    120_000,
  );

  it('break none in the storms that catch planted bugs', () => {
    for (const seed of Object.values(deputySeeds))
      expect(runDeputyStorm(quorum, seed).failure, repro(seed)).toBeNull();
  });
});

describe('a bug that is planted in deputies is caught by its storm:', () => {
  const caught = deputies.filter(({ name }) => name in deputySeeds);
  it.each(caught.map((bug) => [bug.name, bug] as const))('%s', async (name, bug) => {
    expect(runDeputyStorm(await load(bug), deputySeeds[name]!).failure).not.toBeNull();
  });

  it('or there is a reason why it is not', () => {
    const told = [...Object.keys(deputySeeds), ...Object.keys(unseen)];
    expect(told.toSorted()).toEqual(deputies.map(({ name }) => name).toSorted());
  });
});
