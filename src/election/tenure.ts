import { type Deferred, deferred } from './deferred.ts';
import type { Leadership } from './leadership.ts';

/**
 * One leadership and what is left to do about it. It ends in this order, always:
 * its signal is aborted → the work has stopped (or had its time) → it is released → it is over, and another may be granted.
 */
export class Tenure {
  readonly leadership: Leadership;
  /** The one who holds it says that its work has stopped: it may be released. */
  readonly stopped: Deferred<void> = deferred();
  /** Nothing of the work runs any more: it may be granted to the same one again. */
  readonly returned: Deferred<void> = deferred();
  /** Rejected with why it could not be released. */
  readonly released: Deferred<void> = deferred();
  /** Whether the work had returned by then. */
  readonly over: Deferred<boolean> = deferred();
  isEnding = false;
  /** Its work goes on for longer than a moment after the end. */
  isSlow = false;
  /** It has ended by our clock, whatever the seat says. */
  hasLapsed = false;
  /** Set where the election itself runs the work, and will say when it has returned. */
  hasWork = false;

  constructor(leadership: Leadership) {
    this.leadership = leadership;
  }

  /** The holder gives it back. */
  confirm(): void {
    this.stopped.resolve();
    if (!this.hasWork) this.returned.resolve();
  }

  finish(): void {
    this.stopped.resolve();
    this.returned.resolve();
  }
}
