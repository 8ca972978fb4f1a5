import type { Clock, Held, SleepWatch, Why } from '../../election/index.ts';
import type { Grant } from './lease-store.ts';
import type { LeaseTimes } from './settings.ts';

interface TenureAround {
  readonly clock: Clock;
  readonly sleep: SleepWatch;
  readonly times: Pick<LeaseTimes, 'actMs'>;
}

/**
 * A leadership ends this long before its deadline, so that the program learns the cause, and not only that the time
 * is up.
 */
const EARLY_MS = 25;
/** How often the clocks are compared during a lease. A timer does not count the time that the machine sleeps. */
const LOOKS_PER_LEASE = 8;

/** The grant that we hold, and until when we may act. */
export class Tenure<G extends Grant> {
  grant: G;
  readonly held: Held;
  readonly #around: TenureAround;
  readonly #onDeadline: (tenure: Tenure<G>) => void;
  /** How often the machine had slept when it began: after another sleep the lease proves nothing. */
  readonly #sleeps: number;
  /** When the current lease was requested. */
  #fromMs: number;
  #isOver = false;
  #stopTimer: () => void = () => {};

  constructor(grant: G, fromMs: number, around: TenureAround, onDeadline: (tenure: Tenure<G>) => void) {
    this.grant = grant;
    this.#fromMs = fromMs;
    this.#around = around;
    this.#onDeadline = onDeadline;
    this.#sleeps = around.sleep.look();
    const expiresAtMs = (): number => this.untilMs;
    this.held = {
      token: grant.token,
      get expiresAtMs() {
        return expiresAtMs();
      },
    };
    this.#wait();
  }

  get hasSlept(): boolean {
    return this.#around.sleep.look() !== this.#sleeps;
  }

  /** How much of its lease the machine has slept through. */
  get #missedMs(): number {
    return this.#around.sleep.missedMsSince(this.#fromMs);
  }

  /** Until this moment of the monotonic clock we may act; Infinity for a store without leases. */
  get untilMs(): number {
    const { actMs } = this.#around.times;
    if (this.#isOver) return 0;
    if (actMs === Number.POSITIVE_INFINITY) return actMs;
    return this.hasSlept ? 0 : this.#fromMs + actMs - this.#missedMs;
  }

  /** Why its time is up. `trouble`: what kept it from being renewed, or null. */
  ending(trouble: string | null): Why {
    const { sleep } = this.#around;
    const missedMs = this.#missedMs;
    const time = (ms: number): string => (ms < 100 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
    const asleep = (ms: number): string => `the machine was asleep for ${time(ms)}`;
    if (this.hasSlept) return { cause: 'suspended', detail: asleep(sleep.sleptMs) };
    if (missedMs > this.#around.times.actMs / 10)
      return { cause: 'suspended', detail: `${asleep(missedMs)} in all since the last renewal` };
    if (trouble !== null) return { cause: 'store-unreachable', detail: trouble };
    return { cause: 'lease-expired', detail: 'the lease ran out and was not renewed' };
  }

  prolong(fromMs: number): void {
    this.#fromMs = Math.max(this.#fromMs, fromMs);
    this.#wait();
  }

  end(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #wait(): void {
    const { clock, times } = this.#around;
    this.#stopTimer();
    if (this.#isOver || times.actMs === Number.POSITIVE_INFINITY) return;
    const leftMs = this.untilMs - clock.now() - Math.min(EARLY_MS, times.actMs / 20);
    const delayMs = Math.max(0, Math.min(leftMs, times.actMs / LOOKS_PER_LEASE));
    this.#stopTimer = clock.after(delayMs, () => (delayMs < leftMs ? this.#wait() : this.#onDeadline(this)));
  }
}
