/**
 * The rules of an owner: what a session does when it reads a table. It owns a shard from the table that says so until it
 * has released the shard, whatever later tables say, or until its session ends. Tables may be old, and may be read again.
 */
import type { Release, Table } from './table.ts';

/** What one session holds. */
export interface Holding {
  readonly slot: number;
  readonly session: bigint;
  /** By shard: the token under which it is owned. */
  readonly owned: ReadonlyMap<number, number>;
  /** By shard: the greatest token under which it was released. */
  readonly released: ReadonlyMap<number, number>;
}

export interface Orders {
  /** Begin to work on these. */
  readonly start: readonly Release[];
  /** Stop the work on these, then release them. */
  readonly stop: readonly Release[];
  /** These need no work to stop: they were never begun. */
  readonly release: readonly Release[];
  /** Releases that the coordinator has not taken note of yet. */
  readonly unheard: readonly Release[];
}

const NOTHING: Orders = { start: [], stop: [], release: [], unheard: [] };

export function ordersIn(table: Table, { slot, session, owned, released }: Holding): Orders {
  const known = table.sessions[slot] ?? null;
  if (known?.token !== session || known.name === null) return NOTHING;
  const orders = {
    start: [] as Release[],
    stop: [] as Release[],
    release: [] as Release[],
    unheard: [] as Release[],
  };
  for (const [shard, { slot: owner, token, isLeaving }] of table.shards.entries()) {
    if (owner !== slot) continue;
    if (token <= (released.get(shard) ?? 0)) orders.unheard.push([shard, token]);
    else if (owned.get(shard) === token) {
      if (isLeaving) orders.stop.push([shard, token]);
    } else if (isLeaving) orders.release.push([shard, token]);
    else orders.start.push([shard, token]);
  }
  return orders;
}
