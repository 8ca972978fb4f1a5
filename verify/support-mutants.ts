/** Hunts every bug that is planted in support: storms over several elections from the first seed on, then rules, then more storms. */
import type { Shown } from '../test/quorum/hunting.ts';
import { mutants } from '../test/supporting/mutants.ts';
import { type Loaded, load } from '../test/supporting/mutate.ts';
import { type RuleName, rules } from '../test/supporting/rules.ts';
import { byRule, type Caught, firstSeed, type Hunted, huntEach, seedsUpTo } from './hunted.ts';

/** Rules are looked at before most of the seeds: a bug that only a rule shows would take all of them. */
const FIRST_SEEDS = 20;
const MOST_SEEDS = 240;
/** Storms from here on also have messages that are late by seconds. */
const LATE_SEEDS = Array.from({ length: 600 }, (_, i) => 5000 + i);

export function huntInSupport(from: number, to: number): Promise<readonly Hunted[]> {
  return huntEach(mutants.slice(from, to), load, hunt);
}

function hunt(loaded: Loaded): Caught | null {
  const run = (seed: number): Shown | null => {
    const detail = failureIn(loaded, seed);
    // "S10: two act in e1", or a sentence without the name of a property.
    return detail === null ? null : { property: /^(\w+):/.exec(detail)?.[1] ?? 'rest', detail };
  };
  return (
    firstSeed(seedsUpTo(FIRST_SEEDS), run) ??
    byRule((Object.keys(rules) as RuleName[]).find((name) => !rules[name](loaded))) ??
    firstSeed(seedsUpTo(MOST_SEEDS, FIRST_SEEDS + 1), run, FIRST_SEEDS) ??
    firstSeed(LATE_SEEDS, run, MOST_SEEDS)
  );
}

function failureIn({ quorum, drawManyStorm, runManyStorm }: Loaded, seed: number): string | null {
  try {
    return runManyStorm(quorum, drawManyStorm(seed)).failure;
  } catch (error) {
    return `state: ${error}`; // The protocol was given a state that cannot be.
  }
}
