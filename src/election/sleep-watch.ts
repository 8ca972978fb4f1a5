/** A wall clock that has moved this much further than the monotonic one was not just corrected a little. */
const SLEEP_MS = 1000;
/** The wall clock counts whole milliseconds, so that what is between the two differs by one from look to look. */
const NOISE_MS = 2;
/** Two readings that are further apart than this had something between them, and are made again. */
const APART_MS = 0.5;
const READINGS = 3;
/** More are added up: what came earlier then counts as if it had come later, which ends a lease sooner and never later. */
const MOST_KEPT = 64;

/**
 * The monotonic clock may stand still while the machine is suspended, so a lease would look as fresh after a night as it did
 * before. The wall clock goes on; when the two disagree, the machine has slept. A wall clock that somebody sets forward
 * looks the same: that costs a leadership, never a promise.
 *
 * One long sleep is counted in `sleeps`. What is shorter may be a correction of the wall clock, and costs nobody everything; but
 * twenty sleeps of 0.9 s are longer than a lease of 15 s, so `missedMsSince` adds up all of them.
 */
export class SleepWatch {
  /** How many times the machine was found to have slept. */
  sleeps = 0;
  /** How long the last sleep took. */
  sleptMs = 0;
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #aheadMs: number;
  /** What the monotonic clock has missed, and when that was found. */
  #missed: { readonly foundAtMs: number; readonly ms: number }[] = [];

  constructor(monotonic: () => number = () => performance.now(), wall: () => number = () => Date.now()) {
    this.#monotonic = monotonic;
    this.#wall = wall;
    this.#aheadMs = this.#read().aheadMs;
  }

  /** Looks for one now, and says how many there were. */
  look(): number {
    const { aheadMs, nowMs } = this.#read();
    const movedMs = aheadMs - this.#aheadMs;
    // What lies within the noise is left where it is, so that what creeps is found in the end.
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

  /** Looks now, and says by how much more than the monotonic clock tells time has passed since this moment of it. */
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

  /** If something comes between the readings of the two clocks they disagree by that: the closest pair counts. */
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
