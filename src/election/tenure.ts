import { type Deferred, deferred } from './deferred.ts';
import type { Leadership } from './leadership.ts';

/**
 * One leadership and the steps of its end, always in this order: its signal is aborted → the work stops (or its time
 * to stop is up) → it is released → it is over, and another may be granted.
 */
export class Tenure {
  readonly leadership: Leadership;
  /** The holder confirmed that its work has stopped: the leadership may be released. */
  readonly stopped: Deferred<void> = deferred();
  /** None of the work runs any more: the same program may be granted another leadership. */
  readonly returned: Deferred<void> = deferred();
  /** Rejected with the reason if the release failed. */
  readonly released: Deferred<void> = deferred();
  /** Whether the work had returned by then. */
  readonly over: Deferred<boolean> = deferred();
  isEnding = false;
  /** The work did not stop promptly after the end. */
  isSlow = false;
  /** The lease expired by our clock, whatever the seat says. */
  hasLapsed = false;
  /**
   * The same program may lead again at once. False: a program that resigns and wants to lead again lets the others go
   * first.
   */
  mayReturn = false;
  /** True if the election runs the work itself, and so will see it return. */
  hasWork = false;

  constructor(leadership: Leadership) {
    this.leadership = leadership;
  }

  /** The holder says that its work has stopped. */
  confirm(): void {
    this.stopped.resolve();
    if (!this.hasWork) this.returned.resolve();
  }

  finish(): void {
    this.stopped.resolve();
    this.returned.resolve();
  }
}
