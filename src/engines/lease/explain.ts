import type { Cause, Standing } from '../../election/index.ts';
import type { Reading } from './lease-store.ts';

interface Explanation {
  readonly cause: Cause;
  readonly detail: string;
}

/** Why it has come to what was read, or null if that is no news. `hasRunOut`: the lease that was read before is over. */
export function explain(
  before: Standing,
  { leader, token }: Reading,
  hasRunOut: boolean,
): Explanation | null {
  if (leader !== null) {
    const isKnown = before.leader === leader && before.token === token && before.cause === 'won';
    return isKnown ? null : { cause: 'won', detail: `${leader} leads` };
  }
  if (before.leader !== null) {
    return hasRunOut
      ? { cause: 'lease-expired', detail: `the lease of ${before.leader} ran out` }
      : { cause: 'resigned', detail: `${before.leader} has given it up` };
  }
  const isNews = before.cause === 'started' || before.cause === 'store-unreachable';
  return isNews ? { cause: 'started', detail: 'nobody leads' } : null;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
