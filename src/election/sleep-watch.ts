/** A wall clock that has moved this much further than the monotonic one was not just corrected a little. What is shorter goes unseen. */
const SLEEP_MS = 1000;

/**
 * The monotonic clock may stand still while the machine is suspended, so a lease would look as fresh after a night as it did
 * before. The wall clock goes on; when the two disagree, the machine has slept. A wall clock that somebody sets forward
 * looks the same: that costs a leadership, never a promise.
 */
export class SleepWatch {
  /** How many times the machine was found to have slept. */
  sleeps = 0;
  /** How long the last sleep took. */
  sleptMs = 0;
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #aheadMs: number;

  constructor(monotonic: () => number = () => performance.now(), wall: () => number = () => Date.now()) {
    this.#monotonic = monotonic;
    this.#wall = wall;
    this.#aheadMs = wall() - monotonic();
  }

  /** Looks for one now, and says how many there were. */
  look(): number {
    const aheadMs = this.#wall() - this.#monotonic();
    const movedMs = aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (movedMs > SLEEP_MS) {
      this.sleeps += 1;
      this.sleptMs = movedMs;
    }
    return this.sleeps;
  }
}
