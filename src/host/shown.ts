import type { View, Why } from '../core/index.ts';
import type { HostClock } from './clock.ts';
import { type Lease, leaseOf, NO_LEASE, NO_VIEW } from './hold.ts';
import type { Timer } from './timers.ts';

/** What a process shows of its protocol's last report, and the lease that goes with it. */
export class Shown {
  /** Why the process leads nothing, whatever its protocol says; null if it may. */
  exclusion: Why | null = null;
  /** The timer that bounds the lease of the report. */
  leaseTimer: Readonly<Timer> | undefined;

  /** What the protocol last reported. */
  #reported: View = NO_VIEW;
  #view = NO_VIEW;
  #leads = false; // Views have many shapes of object, and every input asks this several times.

  get view(): View {
    return this.#view;
  }

  report(view: View, leaseTimer: Readonly<Timer> | undefined): void {
    this.#reported = view;
    this.leaseTimer = leaseTimer;
    this.#show();
  }

  exclude(why: Why | null): void {
    this.exclusion = why;
    this.#show();
  }

  /** The process ends. */
  close(): void {
    this.#set(withoutLeader(this.#view));
  }

  /** The lease of the leadership that is shown; `resting` is that of a leader that rests. */
  lease(resting: Lease | null, clock: HostClock): Lease {
    if (!this.#leads) return NO_LEASE;
    return resting ?? leaseOf(this.#view, this.leaseTimer, clock);
  }

  #show(): void {
    this.#set(this.exclusion === null ? this.#reported : withoutLeader(this.#reported));
  }

  #set(view: View): void {
    this.#view = view;
    this.#leads = view.role === 'leader';
  }
}

function withoutLeader(view: View): View {
  return { ...view, role: 'none', leader: null, lease: null };
}
