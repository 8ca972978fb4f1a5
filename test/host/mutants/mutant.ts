import { type Bug, patchesIn } from '../../support/plant.ts';
import type { HostRuleName, RuleName, SeatRuleName } from '../rules.ts';

/** What is known to catch a bug: a seed of the swarm with `quorum`, or a rule. */
export type Killer = { readonly seed: number } | { readonly rule: RuleName };

export interface Mutant extends Bug {
  readonly killer: Killer;
}

/** A bug in `src/host`, by what catches it: a seed or a rule. */
export function mutant(
  name: string,
  by: number | HostRuleName,
  ...patches: readonly (readonly [file: string, from: string, to: string])[]
): Mutant {
  const killer = typeof by === 'number' ? { seed: by } : { rule: by };
  return { name, killer, patches: patchesIn('host', patches) };
}

/** A bug in the seat on a host. */
export function seatMutant(
  name: string,
  rule: SeatRuleName,
  ...patches: readonly (readonly [from: string, to: string])[]
): Mutant {
  const named = patches.map(([from, to]) => ['protocol-seat', from, to] as const);
  return { name, killer: { rule }, patches: patchesIn('election', named) };
}
