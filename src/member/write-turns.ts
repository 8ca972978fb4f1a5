/** Fewer are written at once. */
const MANY = 32;
/** More wait until for so long none was added, */
const QUIET_MS = 100;
/** but no longer than this. */
const LONGEST_MS = 1000;

/**
 * The histories of one data folder are written one after the other: those of a thousand elections that change at once
 * would occupy all threads of the process, and its records would wait for them. And they wait until the elections have
 * changed: when a process dies that led hundreds of them, a sixth of the processor's time would go into files that no
 * election depends on, while the others have yet to be led again.
 */
export class WriteTurns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #addedAtMs = 0;
  /** So many have waited for long enough. */
  #allowed = 0;
  #isHurried = false;
  #wake: () => void = () => {};

  /** The work must not throw. */
  take(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#addedAtMs = performance.now();
    this.#last = this.#last.then(async () => {
      if (this.#allowed === 0 && this.#waiting > MANY) {
        await this.#untilQuiet();
        this.#isHurried = false;
        this.#allowed = this.#waiting;
      }
      await work();
      this.#waiting -= 1;
      this.#allowed = Math.max(0, this.#allowed - 1);
    });
    return this.#last;
  }

  /** Those that wait now are written at once, one after the other. */
  hurry(): void {
    this.#isHurried = true;
    this.#wake();
  }

  async #untilQuiet(): Promise<void> {
    const latestMs = performance.now() + LONGEST_MS;
    for (;;) {
      const leftMs = Math.min(this.#addedAtMs + QUIET_MS, latestMs) - performance.now();
      if (leftMs <= 0 || this.#isHurried) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, leftMs);
      });
    }
  }
}
