import type { HuntName } from '../hunts.ts';

export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Who is known to catch a mutant: a seed of the swarm, or the explorer within the bounds of that name. */
export type Killer = { readonly seed: number } | { readonly hunt: HuntName };

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
