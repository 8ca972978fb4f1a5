import {
  CaucusError,
  Election,
  type ElectionOptions,
  type Engine,
  Partition,
  type PartitionOptions,
} from '../election/index.ts';

export type OpenElectionOptions = ElectionOptions;

/** The election that is open, or a new one with these options. The options of one that is open cannot be changed. */
export function openElection(
  open: unknown,
  name: string,
  engine: Engine,
  options: ElectionOptions | undefined,
): Election {
  if (!(open instanceof Election)) return new Election(name, engine, options);
  if (options === undefined) return open;
  const remedy = 'close it first, or leave the options out';
  throw new CaucusError('E_REFUSED', `the election ${name} is already open on this member: ${remedy}`);
}

/** Shards, each owned by one of all members that take part: `member.partition('orders', { shards: 64 })`. */
export type OpenPartition = (name: string, options: PartitionOptions) => Partition;

/** At most one of each name is open: two would own the same shards, both with the same tokens. */
export function partitionOn(engine: Engine): OpenPartition {
  const open = new Map<string, Partition>();
  return (name, options) => {
    if (open.get(name)?.isClosed === false) {
      const remedy = 'use that one, or close it first';
      throw new CaucusError('E_REFUSED', `the partition ${name} is already open on this member: ${remedy}`);
    }
    const partition = new Partition(name, engine, options);
    open.set(name, partition);
    return partition;
  };
}
