import type { Definition } from '../../src/core/index.ts';
import type { Mutant } from './mutants.ts';
import type { Loaded } from './mutate.ts';
import { rules } from './rules.ts';

/** How a bug shows. */
export interface Shown {
  readonly property: string;
  readonly detail: string;
}

/** What a planted bug shows to what is known to catch it; null if nothing is wrong. */
export function tryKiller(loaded: Loaded, definition: Definition, { killer }: Mutant): Shown | null {
  if ('seed' in killer) return tryStorm(loaded, definition, killer.seed);
  return rules[killer.rule](loaded.Peers) ? null : { property: 'a rule', detail: killer.rule };
}

/** What one seed of the swarm shows; null if nothing is wrong. */
export function tryStorm(
  { runStorm, drawStorm }: Loaded,
  definition: Definition,
  seed: number,
): Shown | null {
  return runStorm(drawStorm(definition, seed), definition).failure;
}
