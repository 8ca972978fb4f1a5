import { reasonOf } from './explain.ts';

/** The shortest wait after a call that failed. */
export const FIRST_MS = 100;
/** A hint may mean that the store is back. It cuts a longer wait down to this, and no further: hints may come with every attempt. */
const HINTED_MS = 1000;

/** When to call again after calls that failed: each time a little later. */
export class BackOff {
  #failures = 0;
  #soonestMs = 0;
  /** Why the last one failed. */
  reason = '';

  get isOn(): boolean {
    return this.#failures > 0;
  }

  /** Returns when the next one is due. `spread`, from 0 to 1, keeps those apart who failed together. */
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

  /** When a hint may be followed. */
  soonestMs(nowMs: number): number {
    return Math.max(nowMs, this.#soonestMs);
  }
}
