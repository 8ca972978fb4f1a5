import { type Bug, patchesIn } from '../../support/plant.ts';
import type { HuntName } from '../hunts.ts';
import type { RuleName } from '../rules.ts';
import type { ScenarioName } from '../scenarios.ts';

/** What is known to catch a mutant: a seed of the swarm, a directed run, the explorer within bounds, or a rule of one member. */
export type Killer =
  | { readonly seed: number }
  | { readonly scenario: ScenarioName }
  | { readonly hunt: HuntName }
  | { readonly rule: RuleName };

export interface Mutant extends Bug {
  readonly killer: Killer;
}

/** The patches are pieces of text of a file of `quorum`, and what stands there instead. */
export function mutant(
  name: string,
  killer: Killer,
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): Mutant {
  return { name, killer, patches: patchesIn('protocols/quorum', patches) };
}
