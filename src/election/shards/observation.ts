import type { Table } from '../../shards/index.ts';

/** The owner of a shard. */
export interface ShardOwner {
  readonly name: string;
  readonly token: bigint;
}

/** Who owns which shard, for observers. */
export interface PartitionObservation {
  /** False until the election of the partition has been read for the first time. */
  readonly isKnown: boolean;
  /** The replica that assigns the shards now; null if none does. */
  readonly coordinator: string | null;
  /** By shard; null if it has no owner. A replica that died is shown until its lease has expired. */
  readonly owners: readonly (ShardOwner | null)[];
  /** All replicas that take part, and how many shards each owns. */
  readonly replicas: readonly { readonly name: string; readonly owned: number }[];
  /** How many shards are asked back from their owners, to be given to others. */
  readonly moving: number;
}

/** What a table says, for people and programs. */
export function ownersIn(
  table: Table | null,
  size: number,
): Pick<PartitionObservation, 'owners' | 'replicas' | 'moving'> {
  const { shards = [], sessions = [] } = table ?? {};
  const owned = sessions.map(() => 0);
  for (const { slot } of shards) if (slot !== null) owned[slot]! += 1;
  return {
    owners: Array.from({ length: size }, (_, i) => {
      const { slot = null, token = 0 } = shards[i] ?? {};
      const name = slot === null ? null : (sessions[slot]?.name ?? null);
      return name === null ? null : { name, token: BigInt(token) };
    }),
    replicas: sessions.flatMap((each, slot) =>
      each?.name == null ? [] : [{ name: each.name, owned: owned[slot]! }],
    ),
    moving: shards.filter(({ isLeaving }) => isLeaving).length,
  };
}
