import type { Clock, Held, SleepWatch } from '../../election/index.ts';
import type { Grant } from './lease-store.ts';

interface TenureAround {
  readonly clock: Clock;
  readonly sleep: SleepWatch;
}

/** A leadership is ended a little before its time, so that whoever loses it learns why, and not only that its time is up. */
const EARLY_MS = 25;

/** What we hold, and until when we may act on it. */
export class Tenure<G extends Grant> {
  grant: G;
  readonly held: Held;
  readonly #around: TenureAround;
  readonly #onDeadline: (tenure: Tenure<G>) => void;
  /** How often the machine had slept when it began: a lease says nothing about a sleep since. */
  readonly #sleeps: number;
  #untilMs: number;
  #isOver = false;
  #stopTimer: () => void = () => {};

  constructor(grant: G, untilMs: number, around: TenureAround, onDeadline: (tenure: Tenure<G>) => void) {
    this.grant = grant;
    this.#untilMs = untilMs;
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

  /** Until this moment of the monotonic clock we may act. Nothing ends what has no end. */
  get untilMs(): number {
    if (this.#isOver) return 0;
    return this.#untilMs < Number.POSITIVE_INFINITY && this.hasSlept ? 0 : this.#untilMs;
  }

  prolong(untilMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, untilMs);
    this.#wait();
  }

  end(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #wait(): void {
    const { clock } = this.#around;
    this.#stopTimer();
    if (this.#isOver || this.#untilMs === Number.POSITIVE_INFINITY) return;
    const leftMs = this.#untilMs - clock.now();
    const earlyMs = Math.min(EARLY_MS, leftMs / 20);
    this.#stopTimer = clock.after(Math.max(0, leftMs - earlyMs), () => this.#onDeadline(this));
  }
}
