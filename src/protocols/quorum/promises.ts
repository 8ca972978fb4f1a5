/** Promises to help no other candidate: the side of the followers of a lease. */
import type { MemberId } from '../../core/index.ts';
import type { Release } from './messages.ts';
import { type Out, type Promised, type State, save } from './state.ts';

/** Does a promise prevent helping this process of this member? */
export function isPromisedAgainst(
  { promise }: State,
  candidate: MemberId,
  life: string,
  release: Release | null,
): boolean {
  if (promise === null || (promise.to === candidate && promise.life === life)) return false;
  return (
    release === null || promise.to === null || release.term !== promise.term || release.round < promise.round
  );
}

/** Does a promise to another process, given since the start, still stand? */
export function isBoundToOther({ promise }: State, id: MemberId, life: string): boolean {
  return promise !== null && promise.to !== null && (promise.to !== id || promise.life !== life);
}

/** Has it promised the same member a later round than this one? */
export function isPromisedLater({ promise }: State, to: MemberId, { term, round }: Release): boolean {
  return promise !== null && promise.to === to && promise.term === term && promise.round >= round;
}

/** A promise that is longer than what the disk knows is saved before it is given: a restart has to wait for it. */
export function promiseTo(s: State, promise: Promised, out: Out): void {
  s.promise = promise;
  if (promise.ms > s.promiseMs) {
    s.promiseMs = promise.ms;
    save(s, out);
  }
  out.push({ type: 'set-timer', timer: 'promise', delayMs: promise.ms });
}

export function breakPromise(s: State, out: Out): void {
  if (s.promise === null) return;
  s.promise = null;
  out.push({ type: 'cancel-timer', timer: 'promise' });
}
