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

const MEMBERS = [1, 2, 3];
const STATES_AT_A_TIME = 1000;

/** What the explorer finds. It stops at the first broken promise, which need not have the shortest history. */
export function explore(
  definition: Definition,
  { properties, bounds }: Hunt,
): { readonly shown: Shown | null; readonly states: number } {
  const settings = readSettings(definition.memberSettings ?? {}, {}, '');
  const explorer = new Explorer({
    protocol: definition.create({
      timing: readSettings(definition.timing, {}, 'timing'),
      options: readSettings(definition.options, {}, 'options'),
    }),
    members: MEMBERS.map((id) => ({ id, settings })),
    bounds,
    properties,
    samples: 0,
    maxStatesForShortest: 0,
  });
  while (!explorer.hasBrokenPromise && explorer.advance(STATES_AT_A_TIME)) {
    // Each call looks at some more states.
  }
  const { states, violations } = explorer.result();
  return { shown: violations.find(({ claimed }) => claimed) ?? null, states };
}
