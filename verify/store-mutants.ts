/** Hunts every bug that is planted in the store: the swarm with `quorum` from its first seed on, then rules. */
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants } from '../test/store/mutants.ts';
import { type Loaded, load } from '../test/store/mutate.ts';
import { type RuleName, rules } from '../test/store/rules.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';

/** Rules are looked at before most of the seeds: a bug that only a rule shows would take all of them. */
const FIRST_SEEDS = 150;
const MOST_SEEDS = 1000;

export function huntInStore(from: number, to: number): Promise<readonly Hunted[]> {
  return huntEach(mutants.slice(from, to), load, hunt);
}

function hunt({ store, simulation }: Loaded): Caught | null {
  const bySeed = (seeds: readonly number[]): Caught | null =>
    firstSeed(seeds, (seed) => simulation.runSeed(quorum, seed, { hash: 'moments' }).failure);
  return (
    bySeed(seedsUpTo(FIRST_SEEDS)) ??
    byRule((Object.keys(rules) as RuleName[]).find((name) => !rules[name](store))) ??
    bySeed(seedsUpTo(MOST_SEEDS, FIRST_SEEDS + 1))
  );
}
