import { compareIds, type MemberId, type Protocol, parseId, type Self } from '../../core/index.ts';
import { aliasOf, MOST_ALIASES } from './names.ts';

/** One member of the cluster that is explored. */
export interface Setup {
  readonly id: MemberId;
  readonly settings?: Self['settings'];
  /** It runs from the beginning, on an empty disk, but is not in the first membership: a command may add it. */
  readonly outside?: boolean;
  /** It starts knowing only its own address and those of all members. */
  readonly finds?: boolean;
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
  const seeds = ids.map(addressOf);
  const selves = sorted.map(({ settings = {}, finds = false }, i): Self => {
    const id = ids[i]!;
    if (!finds) return { id, members: ids, settings };
    const addresses = { own: addressOf(id), peers: [], seeds, isPartial: true };
    return { id, members: [id], settings, addresses };
  });
  const insiders = ids.filter((_, i) => sorted[i]!.outside !== true);
  return { protocol, selves, ids, names, insiders };
}

const HOST = 'host-';

/** The address of a member. It contains the id, so that renaming members renames their addresses too. */
export function addressOf(id: MemberId): string {
  return `${HOST}${id}`;
}

export function memberAt(address: string): MemberId {
  return parseId(address.slice(HOST.length));
}

export function canHaveAliases(setups: readonly Setup[]): boolean {
  return setups.length <= MOST_ALIASES;
}
