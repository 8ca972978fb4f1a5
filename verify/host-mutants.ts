/** Hunts every bug that is planted in the host and in the seats on it: the swarm with `quorum` from its first seed on, then rules. */
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants } from '../test/host/mutants.ts';
import { asItIs, type Loaded, load } from '../test/host/mutate.ts';
import { keepsRule, ruleNames } from '../test/host/rules.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';

const MOST_SEEDS = 1000;

export function huntInHost(): Promise<readonly Hunted[]> {
  return huntEach(mutants, (bug) => load(bug), hunt);
}

async function hunt(loaded: Loaded): Promise<Caught | null> {
  const { simulation } = loaded;
  // The swarm has no programs, so it never shows what is wrong with a seat.
  const seeds = simulation === asItIs.simulation ? [] : seedsUpTo(MOST_SEEDS);
  const caught = firstSeed(seeds, (seed) => simulation.runSeed(quorum, seed, { hash: 'moments' }).failure);
  if (caught !== null) return caught;
  for (const name of ruleNames) if (!(await keepsRule(loaded, name))) return byRule(name);
  return null;
}
