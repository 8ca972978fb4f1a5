/** Every planted bug falls to what is known to catch it; the protocol as it is stands before all of them. */
import { describe, expect, it } from 'vitest';
import { quorum } from '../../src/protocols/quorum/index.ts';
import { explore, tryKiller, tryRule, tryStorm } from './hunting.ts';
import { hunts } from './hunts.ts';
import { mutants } from './mutants.ts';
import { load } from './mutate.ts';
import { type RuleName, rules } from './rules.ts';

/** The explorer takes half a minute where the machine is busy with nothing else. */
const PATIENCE_MS = 300_000;

describe('a planted bug is caught:', () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    async (_, mutant) => {
      expect(tryKiller(await load(mutant), mutant.killer)).not.toBeNull();
    },
    PATIENCE_MS,
  );
});

describe('the protocol as it is shows nothing', () => {
  it('to the seeds that catch a bug', () => {
    const seeds = mutants.flatMap(({ killer }) => ('seed' in killer ? [killer.seed] : []));
    for (const seed of new Set(seeds)) expect(tryStorm(quorum, seed), `seed ${seed}`).toBeNull();
  });

  it.each(Object.entries(hunts))(
    'to the explorer of %s',
    (_, hunt) => {
      const explored = explore(quorum, hunt);
      expect(explored).toMatchObject({
        shown: null,
        complete: true,
        tookOver: hunt.deputies !== undefined,
        ...(hunt.states === undefined ? {} : { states: hunt.states }),
      });
    },
    PATIENCE_MS,
  );

  it.each(Object.keys(rules) as RuleName[])('to the rule that %s', (name) => {
    expect(tryRule(quorum, name)).toBeNull();
  });
});

describe('the planted bugs', () => {
  it('are many, and each has a name of its own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(75);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
