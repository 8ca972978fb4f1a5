import type { Clock } from '../../election/index.ts';
import { holderOf, type Lease } from './lease-object.ts';

/**
 * When a Lease was last seen to change. That is a sign of life of its holder, so no other participant may take it
 * before its duration has passed since, by our own monotonic clock. The times in the Lease are never compared with a
 * clock.
 */
export class Observed {
  readonly #clock: Clock;
  /** Used if a Lease does not say how long it lasts. */
  readonly #leaseMs: number;
  #record = '';
  #sinceMs = 0;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  see({ metadata, spec }: Lease): void {
    const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec ?? {};
    const fields = [holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions];
    const record = JSON.stringify([metadata.uid, ...fields]);
    if (record === this.#record) return;
    this.#record = record;
    this.#sinceMs = this.#clock.now();
  }

  /** How long until the Lease is free if its holder does nothing; 0 if it is free. */
  freeInMs(lease: Lease): number {
    if (holderOf(lease) === '') return 0;
    const seconds = lease.spec?.leaseDurationSeconds;
    const lastsMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : this.#leaseMs;
    return Math.max(0, this.#sinceMs + lastsMs - this.#clock.now());
  }
}
