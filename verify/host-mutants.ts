/** Hunts every bug that is planted in the host and in the seats on it: the swarm with `quorum` from its first seed on, then rules. */
import { quorum } from '../src/protocols/quorum/index.ts';
import { mutants } from '../test/host/mutants.ts';
import { asItIs, type Loaded, load } from '../test/host/mutate.ts';
import { keepsRule, ruleNames } from '../test/host/rules.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';

/** Rules are looked at before most of the seeds: a bug that only a rule shows would take all of them. */
const FIRST_SEEDS = 150;
const MOST_SEEDS = 1000;

export function huntInHost(from: number, to: number): Promise<readonly Hunted[]> {
  return huntEach(mutants.slice(from, to), (bug) => load(bug), hunt);
}

async function hunt(loaded: Loaded): Promise<Caught | null> {
  const { simulation } = loaded;
  // The swarm has no programs, so it never shows what is wrong with a seat.
  const isSeen = simulation !== asItIs.simulation;
  const bySeed = (seeds: readonly number[]): Caught | null =>
    firstSeed(isSeen ? seeds : [], (seed) => simulation.runSeed(quorum, seed, { hash: 'moments' }).failure);
  const caught = bySeed(seedsUpTo(FIRST_SEEDS));
  if (caught !== null) return caught;
  for (const name of ruleNames) if (!(await keepsRule(loaded, name))) return byRule(name);
  return bySeed(seedsUpTo(MOST_SEEDS, FIRST_SEEDS + 1));
}
