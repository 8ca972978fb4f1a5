/** Hunts every bug that is planted in the store: the swarm with `quorum` from its first seed on, then rules. */
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants } from '../test/store/mutants.ts';
import { type Loaded, load } from '../test/store/mutate.ts';
import { type RuleName, rules } from '../test/store/rules.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';

const MOST_SEEDS = 1000;

export function huntInStore(): Promise<readonly Hunted[]> {
  return huntEach(mutants, load, hunt);
}

function hunt({ store, simulation }: Loaded): Caught | null {
  return (
    firstSeed(
      seedsUpTo(MOST_SEEDS),
      (seed) => simulation.runSeed(quorum, seed, { hash: 'moments' }).failure,
    ) ?? byRule((Object.keys(rules) as RuleName[]).find((name) => !rules[name](store)))
  );
}
