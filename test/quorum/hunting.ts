import { type Definition, type Protocol, readSettings } from '../../src/core/index.ts';
import { Explorer, type Exploring } from '../../src/exploration/index.ts';
import { drawStorm, runStorm } from '../../src/simulation/index.ts';
import { type Hunt, hunts } from './hunts.ts';
import type { Killer } from './mutants/mutant.ts';
import { type RuleName, rules } from './rules.ts';
import { type ScenarioName, tryScenario } from './scenarios.ts';

/** How a bug shows. */
export interface Shown {
  readonly property: string;
  readonly detail: string;
}

/** What a planted bug shows to what is known to catch it; null if nothing is wrong. */
export function tryKiller(definition: Definition, killer: Killer): Shown | null {
  if ('seed' in killer) return tryStorm(definition, killer.seed);
  if ('scenario' in killer) return tryDirected(definition, killer.scenario);
  if ('rule' in killer) return tryRule(definition, killer.rule);
  return explore(definition, hunts[killer.hunt]).shown;
}

/** So many seeds of a directed run are enough for a bug to show. */
const DIRECTED_SEEDS = 3;

export function tryDirected(definition: Definition, name: ScenarioName): Shown | null {
  for (let seed = 1; seed <= DIRECTED_SEEDS; seed++) {
    const shown = tryScenario(definition, name, seed);
    if (shown !== null) return shown;
  }
  return null;
}

export function tryRule(definition: Definition, name: RuleName): Shown | null {
  return rules[name](definition) ? null : { property: 'a rule', detail: name };
}

/** What one seed of the swarm shows; null if nothing is wrong. */
export function tryStorm(definition: Definition, seed: number): Shown | null {
  return runStorm(drawStorm(definition, seed), definition).failure;
}

export interface Explored {
  readonly shown: Shown | null;
  readonly states: number;
  /** Nothing within the bounds was left out. */
  readonly complete: boolean;
  /** A deputy took over in some history: a check in which none does says nothing of deputies. */
  readonly tookOver: boolean;
}

const STATES_AT_A_TIME = 1000;

/** What the explorer looks at in a hunt: three members, which have deputies if the hunt is about deputies. */
export function exploringHunt(definition: Definition, hunt: Hunt): Exploring {
  const { properties, bounds, deputies: script = [] } = hunt;
  const protocol = definition.create({
    timing: readSettings(definition.timing, {}, 'timing'),
    options: readSettings(definition.options, {}, 'options'),
  });
  const settings = hunt.deputies === undefined ? { priority: 1 } : { priority: 1, deputies: true };
  const members = [1, 2, 3].map((id) => ({ id, settings }));
  return { protocol, members, script, bounds, properties, samples: 0, maxStatesForShortest: 0 };
}

/** What the explorer finds. It stops at the first broken promise, which need not have the shortest history. */
export function explore(definition: Definition, hunt: Hunt): Explored {
  const seen = { tookOver: false };
  const exploring = exploringHunt(definition, hunt);
  const { protocol } = exploring;
  const explorer = new Explorer({
    ...exploring,
    protocol: hunt.deputies === undefined ? protocol : watched(protocol, seen),
  });
  while (!explorer.hasBrokenPromise && explorer.advance(STATES_AT_A_TIME)) {
    // Each call looks at some more states.
  }
  const { states, complete, violations } = explorer.result();
  return { shown: violations.find(({ claimed }) => claimed) ?? null, states, complete, ...seen };
}

/** The same protocol; notes when a deputy takes over. */
function watched(protocol: Protocol, seen: { tookOver: boolean }): Protocol {
  return {
    ...protocol,
    step(state, input, out) {
      protocol.step(state, input, out);
      if ((state as { succeeds: unknown }).succeeds !== null) seen.tookOver = true;
    },
  };
}
