import { compareIds, type MemberId, type Protocol, type Self } from '../../core/index.ts';
import { aliasOf, MOST_ALIASES } from './names.ts';

/** One member of the cluster that is explored. */
export interface Setup {
  readonly id: MemberId;
  readonly settings?: Self['settings'];
  /** It runs from the beginning, on an empty disk, but is not in the first membership: a command may add it. */
  readonly outside?: boolean;
}

/** The members, under the ids that the protocol uses and under those of the user. */
export interface Cluster {
  readonly protocol: Protocol;
  /** Each is configured with all members, also with those outside the first membership. */
  readonly selves: readonly Self[];
  readonly ids: readonly MemberId[];
  /** The ids that the user gave, in the same order. */
  readonly names: readonly MemberId[];
  /** The first membership. */
  readonly insiders: readonly MemberId[];
}

/** With `aliases`, members have numbers that differ from everything else in a state; their order is that of the ids. */
export function clusterOf(protocol: Protocol, setups: readonly Setup[], aliases: boolean): Cluster {
  const sorted = [...setups].sort((a, b) => compareIds(a.id, b.id));
  const names = sorted.map(({ id }) => id);
  const ids = aliases ? names.map((_, i) => aliasOf(i)) : names;
  const selves = sorted.map(({ settings = {} }, i) => ({ id: ids[i]!, members: ids, settings }));
  const insiders = ids.filter((_, i) => sorted[i]!.outside !== true);
  return { protocol, selves, ids, names, insiders };
}

export function canHaveAliases(setups: readonly Setup[]): boolean {
  return setups.length <= MOST_ALIASES;
}
