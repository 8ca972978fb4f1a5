/**
 * caucus/redlock: the class of the package `redlock`, on elections of Caucus: the same calls, with a token for each lock, and a
 * signal that tells the truth.
 *
 * Promises what the engine behind it promises: on Redis see `caucus/redis`. A lock that was lost shows it at once, also after the
 * event loop was blocked: `signal.aborted` and `lock.isValid()` look at the clock.
 * Does not promise: that it and the package `redlock` exclude each other. They keep different keys.
 */
export type { IoredisClient } from './clients.ts';
export { ExecutionError, ResourceLockedError } from './errors.ts';
export { Lock } from './lock.ts';
export {
  type LockContext,
  Redlock,
  Redlock as default,
  type RedlockAbortSignal,
  type Settings,
} from './redlock.ts';
