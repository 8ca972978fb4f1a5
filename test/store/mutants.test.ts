/** Every bug that is planted in the store falls to what is known to catch it; the store as it is stands before all of them. */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import * as simulation from '../../src/simulation/index.ts';
import * as store from '../../src/store/index.ts';
import { mutants } from './mutants.ts';
import { load } from './mutate.ts';
import { type RuleName, rules } from './rules.ts';

const MOST_SEEDS = 1000;

describe('a bug that is planted in the store is caught:', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, { killer, ...bug }) => {
    const loaded = await load(bug);
    if ('rule' in killer) {
      expect(rules[killer.rule](loaded.store)).toBe(false);
    } else {
      expect(killer.seed).toBeLessThanOrEqual(MOST_SEEDS);
      expect(loaded.simulation.runSeed(quorum, killer.seed, { hash: 'moments' }).failure).not.toBeNull();
    }
  });
});

describe('the store as it is shows nothing', () => {
  it('to the seeds that catch a bug', () => {
    const seeds = mutants.flatMap(({ killer }) => ('seed' in killer ? [killer.seed] : []));
    expect(new Set(seeds).size).toBeGreaterThan(3);
    for (const seed of new Set(seeds))
      expect(simulation.runSeed(quorum, seed, { hash: 'moments' }).failure, `seed ${seed}`).toBeNull();
  });

  it.each(Object.keys(rules) as RuleName[])('to the rule that %s', (name) => {
    expect(rules[name](store)).toBe(true);
  });
});

describe('a simulated disk', () => {
  /** Seeds of the swarm in which disks are damaged, and some in which they are not. */
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1);

  it('that works its bytes out late has the same history as one that writes them at once', async () => {
    const eager = await load({ name: 'none', patches: [] });
    let damaged = 0;
    for (const seed of seeds) {
      const storm = simulation.drawStorm(quorum, seed);
      damaged += storm.faults.some((fault) => fault.do === 'disk' && fault.fault === 'flip') ? 1 : 0;
      const [late, atOnce] = [simulation, eager.simulation].map(
        ({ runStorm }) => runStorm(storm, quorum).world,
      );
      expect(atOnce!.hash, `seed ${seed}`).toBe(late!.hash);
    }
    expect(damaged).toBeGreaterThan(2);
  });
});
