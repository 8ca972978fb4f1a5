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

export function partitionOn(engine: Engine): OpenPartition {
  return (name, options) => new Partition(name, engine, options);
}
