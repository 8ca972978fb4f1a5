import { reasonOf } from './explain.ts';

/** The shortest delay after a failed call. */
export const FIRST_MS = 100;
/**
 * A hint may mean that the store is back. It shortens the delay to this, and no further: hints may come with every
 * attempt.
 */
const HINTED_MS = 1000;

/** When to call again after failed calls, with a growing delay. */
export class BackOff {
  #failures = 0;
  #soonestMs = 0;
  /** Why the last call failed. */
  reason = '';

  get isOn(): boolean {
    return this.#failures > 0;
  }

  /**
   * Returns when the next call is due. `spread`, from 0 to 1, separates participants that failed at the same moment.
   */
  onFailure(error: unknown, nowMs: number, longestMs: number, spread: number): number {
    const waitMs = Math.min(FIRST_MS * 2 ** this.#failures, longestMs) * (1 + spread / 5);
    this.#failures += 1;
    this.#soonestMs = nowMs + Math.min(waitMs, HINTED_MS);
    this.reason = reasonOf(error);
    return nowMs + waitMs;
  }

  onSuccess(): void {
    this.#failures = 0;
    this.#soonestMs = 0;
  }

  /** The earliest moment at which a hint may cause a call. */
  soonestMs(nowMs: number): number {
    return Math.max(nowMs, this.#soonestMs);
  }
}
