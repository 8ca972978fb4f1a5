import type { HostClock } from './clock.ts';
import type { Timer } from './timers.ts';

/**
 * Notices the end of a lease whose timer does not run any more. The protocol has renewed that lease and cancelled its
 * timer, and the process acts on it until the renewal is shown. If the disk does not end its save by then, the
 * leadership ends with the lease.
 */
export class Lapse {
  readonly #clock: HostClock;
  #cancel: (() => void) | null = null;

  constructor(clock: HostClock) {
    this.#clock = clock;
  }

  watch({ endsAtMs }: Readonly<Timer>, onLapse: () => void): void {
    this.#cancel = this.#clock.set(endsAtMs, () => {
      this.#cancel = null;
      onLapse();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
