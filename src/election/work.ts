import { oneLine } from '../core/values.ts';
import { LeadershipLost } from './errors.ts';

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

/** Runs a function of the program. An error is returned as a result, so that no rejection stays unhandled. */
export function resultOf<T>(work: () => T | PromiseLike<T>): Promise<Result<T>> {
  // Not async: work lasts as long as a leadership, and thousands of frames would wait for it.
  try {
    return Promise.resolve(work()).then(succeeded<T>, failed);
  } catch (error) {
    return Promise.resolve(failed(error));
  }
}

function succeeded<T>(value: T): Result<T> {
  return { ok: true, value };
}

function failed(error: unknown): { readonly ok: false; readonly error: unknown } {
  return { ok: false, error };
}

/** An error of the program, in one line. */
export function problemOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
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
