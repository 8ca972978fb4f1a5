/**
 * Time as a member needs it: monotonic, and honest about sleep. On most systems the monotonic clock stands still while the
 * machine is suspended, so a lease would look as fresh after a night as it did before. The wall clock goes on, and the two
 * then disagree: that is how a sleep is noticed. A wall clock that somebody sets forward looks the same; it costs a
 * leadership, never a promise.
 */
export interface Clock {
  /** Milliseconds on the scale of `performance.now()`. Every call also looks for a sleep. */
  now(): number;
  /** Milliseconds since 1970. */
  wallNow(): number;
  /** How many times the machine was found to have slept. */
  readonly sleeps: number;
  /** How long the last sleep took. */
  readonly sleptMs: number;
  /** Calls once, never before that moment. Returns how to cancel. */
  set(atMs: number, run: () => void): () => void;
}

/** A wall clock that has moved this much further than the monotonic one was not just corrected a little. */
const SLEEP_MS = 1000;

/** Where the time comes from: the system's two clocks. */
interface TimeSource {
  monotonic(): number;
  wall(): number;
}

const systemTime: TimeSource = { monotonic: () => performance.now(), wall: () => Date.now() };

export class SystemClock implements Clock {
  sleeps = 0;
  sleptMs = 0;
  readonly #source: TimeSource;
  #aheadMs: number;

  constructor(source: TimeSource = systemTime) {
    this.#source = source;
    this.#aheadMs = source.wall() - source.monotonic();
  }

  now(): number {
    const nowMs = this.#source.monotonic();
    const aheadMs = this.#source.wall() - nowMs;
    const movedMs = aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (movedMs > SLEEP_MS) {
      this.sleeps += 1;
      this.sleptMs = movedMs;
    }
    return nowMs;
  }

  wallNow(): number {
    return this.#source.wall();
  }

  set(atMs: number, run: () => void): () => void {
    let timeout: NodeJS.Timeout;
    const wait = (): void => {
      const leftMs = atMs - this.#source.monotonic();
      // The event loop counts in whole milliseconds and may be a fraction early.
      if (leftMs > 0) timeout = setTimeout(wait, Math.ceil(leftMs));
      else run();
    };
    timeout = setTimeout(wait, Math.ceil(Math.max(0, atMs - this.#source.monotonic())));
    return () => clearTimeout(timeout);
  }
}
