/** Every bug that is planted in the host falls to what is known to catch it; the host as it is stands before all of them. */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { mutants } from './mutants.ts';
import { asItIs, type Loaded, load } from './mutate.ts';
import { keepsRule, ruleNames } from './rules.ts';

const MOST_SEEDS = 1000;

function failureOf({ simulation }: Loaded, seed: number): object | null {
  return simulation.runSeed(quorum, seed, { hash: 'moments' }).failure;
}

describe('a bug that is planted in the host is caught:', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, { killer, ...bug }) => {
    const loaded = await load(bug, 'rule' in killer ? 'host' : 'world');
    if ('rule' in killer) {
      expect(await keepsRule(loaded, killer.rule)).toBe(false);
    } else {
      expect(killer.seed).toBeLessThanOrEqual(MOST_SEEDS);
      expect(failureOf(loaded, killer.seed)).not.toBeNull();
    }
  });
});

describe('the host as it is shows nothing', () => {
  it('to the seeds that catch a bug', () => {
    const seeds = mutants.flatMap(({ killer }) => ('seed' in killer ? [killer.seed] : []));
    expect(new Set(seeds).size).toBeGreaterThan(8);
    for (const seed of new Set(seeds)) expect(failureOf(asItIs, seed), `seed ${seed}`).toBeNull();
  });

  it.each(ruleNames)('to the rule that %s', async (name) => {
    expect(await keepsRule(asItIs, name)).toBe(true);
  });
});

describe('the planted bugs', () => {
  it('each have a name of their own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(90);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
