import type { Json } from '../core/values.ts';
import { isRecord } from '../once/index.ts';
import { isOfPartition } from '../shards/index.ts';
import { onceAborted } from './aborts.ts';
import { deferred } from './deferred.ts';
import { CaucusError } from './errors.ts';
import type { Seat } from './seat.ts';

/** Waits for a publication, but not beyond the end of the leadership. */
export async function unlessEnded<T>(
  asked: Promise<T>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<T> {
  let forget = (): void => {};
  const calledOff = new Promise<never>((_, reject) => {
    forget = onceAborted(signals, (reason) => {
      const why = 'it is not known whether the value was published';
      reject(new CaucusError('E_FAILED', why, { outcome: 'indefinite', cause: reason }));
    });
  });
  try {
    return await Promise.race([asked, calledOff]);
  } finally {
    forget();
  }
}

/** Is this published value one that `once` or a partition has recorded? */
export function isRecorded(value: Json): boolean {
  return isRecord(value) || isOfPartition(value);
}

/** What `once` and partitions record is a published value: another one would make them forget what was done. */
export function refuseMixed({ election, standing }: Seat): void {
  const { value } = standing;
  const what = isRecord(value) ? 'occasions' : isOfPartition(value) ? 'shards' : null;
  if (what === null) return;
  const message = `cannot publish: the election ${election} records ${what}; use another election for values`;
  throw new CaucusError('E_REFUSED', message);
}

/** A new leader of members may first have to complete what an earlier one began. */
export async function becomesCurrent(seat: Seat, ended: AbortSignal): Promise<void> {
  const isCurrent = (): boolean => seat.standing.isCurrent !== false;
  if (isCurrent()) return;
  const settled = deferred();
  const unwatch = seat.watch(() => isCurrent() && settled.resolve());
  const forget = onceAborted([ended], () => settled.resolve());
  await settled.promise;
  unwatch();
  forget();
}
