import { LeadershipLost } from './errors.ts';
import type { Leadership } from './leadership.ts';

export type WorkResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

/** Runs the leader's work. An error is returned as a result, so that no rejection stays unhandled. */
export async function runWork<T>(
  work: (leadership: Leadership) => T | PromiseLike<T>,
  leadership: Leadership,
): Promise<WorkResult<T>> {
  try {
    return { ok: true, value: await work(leadership) };
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * Did the work throw only because it was told to stop? Libraries wrap the reason of a signal, so the causes are
 * searched too.
 */
export function isStop(error: unknown, lost: LeadershipLost | null, depth = 0): boolean {
  if (error === lost || error instanceof LeadershipLost) return true;
  if (!(error instanceof Error) || depth > 8) return false;
  if (error.name === 'AbortError') return true;
  if (error instanceof AggregateError && error.errors.some((each) => isStop(each, lost, depth + 1)))
    return true;
  return isStop(error.cause, lost, depth + 1);
}
