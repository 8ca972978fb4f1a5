import { type Definition, readSettings } from '../../src/core/index.ts';
import { Explorer } from '../../src/exploration/index.ts';
import { drawStorm, runStorm } from '../../src/simulation/index.ts';
import type { Hunt } from './hunts.ts';

/** How a bug shows. */
export interface Shown {
  readonly property: string;
  readonly detail: string;
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
}

const STATES_AT_A_TIME = 1000;

/** What the explorer finds. It stops at the first broken promise, which need not have the shortest history. */
export function explore(
  definition: Definition,
  { properties, priorities = [1, 1, 1], bounds }: Hunt,
): Explored {
  const explorer = new Explorer({
    protocol: definition.create({
      timing: readSettings(definition.timing, {}, 'timing'),
      options: readSettings(definition.options, {}, 'options'),
    }),
    members: priorities.map((priority, i) => ({ id: i + 1, settings: { priority } })),
    bounds,
    properties,
    samples: 0,
    maxStatesForShortest: 0,
  });
  while (!explorer.hasBrokenPromise && explorer.advance(STATES_AT_A_TIME)) {
    // Each call looks at some more states.
  }
  const { states, complete, violations } = explorer.result();
  return { shown: violations.find(({ claimed }) => claimed) ?? null, states, complete };
}
