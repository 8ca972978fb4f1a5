import { compareIds, type MemberId, type Protocol, type Self } from '../core/index.ts';
import { aliasOf, MOST_ALIASES } from './names.ts';

/** One member of the cluster that is explored. */
export interface Setup {
  readonly id: MemberId;
  readonly settings?: Self['settings'];
}

/** Who takes part, under which ids the protocol knows them, and under which everybody else does. */
export interface Cluster {
  readonly protocol: Protocol;
  readonly selves: readonly Self[];
  readonly ids: readonly MemberId[];
  /** The ids that the user gave, in the same order. */
  readonly names: readonly MemberId[];
}

/** With `aliases`, members bear numbers that can be told from everything else; their order is that of the ids. */
export function clusterOf(protocol: Protocol, setups: readonly Setup[], aliases: boolean): Cluster {
  const sorted = [...setups].sort((a, b) => compareIds(a.id, b.id));
  const names = sorted.map(({ id }) => id);
  const ids = aliases ? names.map((_, i) => aliasOf(i)) : names;
  const selves = sorted.map(({ settings = {} }, i) => ({ id: ids[i]!, members: ids, settings }));
  return { protocol, selves, ids, names };
}

export function canHaveAliases(setups: readonly Setup[]): boolean {
  return setups.length <= MOST_ALIASES;
}
