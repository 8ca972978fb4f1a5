import { CaucusError, type Standing, type Why } from '../../election/index.ts';
import type { Reading } from './lease-store.ts';

/**
 * Why the election is in the state that was read, or null if that did not change. `hasRunOut`: the lease that was
 * read before has expired.
 */
export function explain(before: Standing, reading: Reading, hasRunOut: boolean): Why | null {
  const { leader, token, hasCrashed } = reading;
  if (leader !== null) {
    const isKnown = before.leader === leader && before.token === token && before.cause === 'won';
    if (isKnown) return null;
    // Where candidates queue, the next one leads at once.
    const why =
      before.leader === null || hasCrashed === undefined ? '' : `: ${endOf(before, hasCrashed).detail}`;
    return { cause: 'won', detail: `${leader} leads${why}` };
  }
  if (before.leader !== null) return endOf(before, hasCrashed ?? hasRunOut);
  const isNews = before.cause === 'started' || before.cause === 'store-unreachable';
  return isNews ? { cause: 'started', detail: 'there is no leader' } : null;
}

function endOf({ leader }: Standing, hasCrashed: boolean): Why {
  return hasCrashed
    ? { cause: 'lease-expired', detail: `the lease of ${leader} ran out` }
    : { cause: 'resigned', detail: `${leader} resigned` };
}

/** A resignation names the participant; other causes keep their own words. */
export function said({ cause, detail }: Why, name: string): Why {
  const isOwnWish = cause === 'resigned' || cause === 'closed' || cause === 'unhealthy';
  return { cause, detail: isOwnWish ? `${name} resigned: ${detail}` : detail };
}

export function isSame(a: Standing, b: Standing): boolean {
  return (Object.keys(b) as (keyof Standing)[]).every((field) => a[field] === b[field]);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For the promise of a call: rejects with what failed and why, unless the store said it in its own words. */
export function failed(what: string): (cause: unknown) => never {
  return (cause) => {
    if (cause instanceof CaucusError) throw cause;
    throw new CaucusError('E_FAILED', `${what}: ${reasonOf(cause)}`, { outcome: 'indefinite', cause });
  };
}
