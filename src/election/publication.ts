import { isRecord } from '../once/index.ts';
import { onceAborted } from './aborts.ts';
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

/** What `once` records is a published value: another one would make it forget what was done. */
export function refuseMixed({ election, standing }: Seat): void {
  if (!isRecord(standing.value)) return;
  const message = `cannot publish: the election ${election} records occasions; use another election for values`;
  throw new CaucusError('E_REFUSED', message);
}
