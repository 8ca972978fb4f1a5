/**
 * Waits that double with each failure. Half of each wait is drawn, so that members which lost the same peer at the
 * same moment do not come back to it at the same moment.
 */
export class BackOff {
  readonly #leastMs: number;
  readonly #mostMs: number;
  #failures = 0;

  constructor([leastMs, mostMs]: readonly [leastMs: number, mostMs: number]) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
  }

  get failures(): number {
    return this.#failures;
  }

  fail(): void {
    this.#failures++;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** How long to wait before the next attempt, after at least one failure. */
  nextMs(): number {
    const doublings = Math.min(this.#failures - 1, 30);
    const fullMs = Math.min(this.#mostMs, this.#leastMs * 2 ** doublings);
    return fullMs * (0.5 + Math.random() / 2);
  }
}
