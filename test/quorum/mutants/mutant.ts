import type { HuntName } from '../hunts.ts';
import type { RuleName } from '../rules.ts';
import type { ScenarioName } from '../scenarios.ts';

export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** What is known to catch a mutant: a seed of the swarm, a directed run, the explorer within bounds, or a rule of one member. */
export type Killer =
  | { readonly seed: number }
  | { readonly scenario: ScenarioName }
  | { readonly hunt: HuntName }
  | { readonly rule: RuleName };

export interface Mutant {
  readonly name: string;
  readonly killer: Killer;
  readonly patches: readonly Patch[];
}

/** The patches are pieces of text of a file of `quorum`, and what stands there instead. */
export function mutant(
  name: string,
  killer: Killer,
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): Mutant {
  return { name, killer, patches: patches.map(([file, from, to]) => ({ file: `${file}.ts`, from, to })) };
}
