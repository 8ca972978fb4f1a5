/** Where it is recorded what schedules have run for shards: in elections that neighbours share. */
import { BadInput, type Json } from '../core/index.ts';
import { readTable } from './table.ts';

/** So many shards share the election of their records: what is recorded of them fits into 16 KiB. */
export const SHARDS_PER_ELECTION = 16;

/** The n-th of these elections: `orders.shards.r0` has the shards 0 to 15 of `orders`. */
export function recordElection(partition: string, n: number): string {
  return `${partition}.shards.r${n}`;
}

/** Those of all shards of a partition, by the table that its coordinator has published; none if this is no table. */
export function recordElections(partition: string, published: Json): readonly string[] {
  try {
    const { shards } = readTable(published, 'value') ?? { shards: [] };
    const count = Math.ceil(shards.length / SHARDS_PER_ELECTION);
    return Array.from({ length: count }, (_, n) => recordElection(partition, n));
  } catch (error) {
    if (error instanceof BadInput) return [];
    throw error;
  }
}
