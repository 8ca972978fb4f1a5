import { asObject, BadInput, refuseUnknown, show } from '../../core/values.ts';
import { MOST_SHARDS } from '../../shards/index.ts';
import { type Clock, processClock } from '../clock.ts';

export interface PartitionOptions {
  /** How many shards there are: 1 to 1,000, the same for all replicas. */
  readonly shards: number;
  /** How long the work on a shard may take to stop before the shard is released anyway (default: 10 s). */
  readonly drainMs?: number;
  /** How long a release or a publication may take before it counts as failed (default: 10 s). */
  readonly answerMs?: number;
  /** How long the very first replica waits for others before it gets shards (default: 200 ms). */
  readonly settleMs?: number;
  /** Virtual time, for tests. */
  readonly clock?: Clock;
}

/** What a timer can count. */
const LONGEST_MS = 2 ** 31 - 1;

/** Every engine takes names of elections up to this length, and those of a partition end in ".shards.r999" at the longest. */
const LONGEST_NAME = 64 - '.shards.r999'.length;

/** Throws BadInput unless a partition can have this name on every engine. */
export function checkPartitionName(name: unknown, path: string): void {
  if (typeof name === 'string' && /^[\w.-]+$/.test(name) && name.length <= LONGEST_NAME) return;
  const expected = `the name of a partition: 1 to ${LONGEST_NAME} letters, digits, ".", "_" and "-"`;
  throw new BadInput(path, expected, show(name));
}

/** The options with what is left out. Throws BadInput if a partition cannot have them, or the name. */
export function partitionOptions(name: string, options: PartitionOptions): Required<PartitionOptions> {
  const given = asObject(options, 'options');
  refuseUnknown(given, { shards: 0, drainMs: 0, answerMs: 0, settleMs: 0, clock: 0 }, '');
  const { shards, drainMs = 10_000, answerMs = 10_000, settleMs = 200, clock = processClock } = options;
  checkPartitionName(name, 'name');
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > MOST_SHARDS)
    throw new BadInput('shards', `a whole number from 1 to ${MOST_SHARDS}`, show(shards));
  for (const [path, ms] of Object.entries({ drainMs, answerMs, settleMs }))
    if (!(typeof ms === 'number' && ms >= 0 && ms <= LONGEST_MS))
      throw new BadInput(path, `a number of milliseconds from 0 to ${LONGEST_MS}`, show(ms));
  return { shards, drainMs, answerMs, settleMs, clock };
}
