/** A larger jump of the wall clock against the monotonic clock is a sleep, not a small correction. */
const SLEEP_MS = 1000;
/**
 * The wall clock has a resolution of 1 ms, so the difference between the two clocks varies by that from reading to
 * reading.
 */
const NOISE_MS = 2;
/**
 * If the two readings around a wall clock reading are further apart than this, the process was interrupted and reads
 * again.
 */
const APART_MS = 0.5;
const READINGS = 3;
/**
 * When there are more, the two oldest are merged under the later date. That can end a lease too early, never too
 * late.
 */
const MOST_KEPT = 64;

/**
 * Detects that the machine was suspended. The monotonic clock may stop during suspension, so a lease would look as
 * fresh after a night as before. The wall clock continues; if it is ahead of the monotonic clock, the machine slept.
 * A wall clock that is set forward looks the same: that costs a leadership, but breaks no guarantee.
 *
 * One long sleep is counted in `sleeps`. A shorter jump may be a correction of the wall clock, so it does not end
 * every lease. But twenty sleeps of 0.9 s are longer than a lease of 15 s, so `missedMsSince` adds up all jumps.
 */
export class SleepWatch {
  /** How many times the machine slept. */
  sleeps = 0;
  /** How long the last sleep took. */
  sleptMs = 0;
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #aheadMs: number;
  /** Time that the monotonic clock missed, and when that was found. */
  #missed: { readonly foundAtMs: number; readonly ms: number }[] = [];

  constructor(monotonic: () => number = () => performance.now(), wall: () => number = () => Date.now()) {
    this.#monotonic = monotonic;
    this.#wall = wall;
    this.#aheadMs = this.#read().aheadMs;
  }

  /** Checks now, and returns how many sleeps there were. */
  look(): number {
    const { aheadMs, nowMs } = this.#read();
    const movedMs = aheadMs - this.#aheadMs;
    // Differences within the noise do not move the reference, so that slow drift is still found.
    if (Math.abs(movedMs) <= NOISE_MS) return this.sleeps;
    this.#aheadMs = aheadMs;
    if (movedMs < 0) return this.sleeps;
    this.#keep(nowMs, movedMs);
    if (movedMs > SLEEP_MS) {
      this.sleeps += 1;
      this.sleptMs = movedMs;
    }
    return this.sleeps;
  }

  /** Checks now, and returns how much more time passed since `fromMs` than the monotonic clock shows. */
  missedMsSince(fromMs: number): number {
    this.look();
    return this.#missed.reduce((sum, { foundAtMs, ms }) => (foundAtMs < fromMs ? sum : sum + ms), 0);
  }

  #keep(foundAtMs: number, ms: number): void {
    this.#missed.push({ foundAtMs, ms });
    if (this.#missed.length <= MOST_KEPT) return;
    const [first, second] = this.#missed.splice(0, 2);
    this.#missed.unshift({ foundAtMs: second!.foundAtMs, ms: first!.ms + second!.ms });
  }

  /** An interruption between the readings of the two clocks looks like a difference, so the closest pair counts. */
  #read(): { readonly aheadMs: number; readonly nowMs: number } {
    let closestMs = Number.POSITIVE_INFINITY;
    let best = { aheadMs: 0, nowMs: 0 };
    for (let readings = 0; readings < READINGS && closestMs > APART_MS; readings++) {
      const beforeMs = this.#monotonic();
      const wallMs = this.#wall();
      const nowMs = this.#monotonic();
      if (nowMs - beforeMs >= closestMs) continue;
      closestMs = nowMs - beforeMs;
      best = { aheadMs: wallMs - nowMs, nowMs };
    }
    return best;
  }
}
