import { SleepWatch } from '../election/index.ts';

/** Time as a member needs it: monotonic, and honest about sleep. */
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

/** Where the time comes from: the system's two clocks. */
interface TimeSource {
  monotonic(): number;
  wall(): number;
}

const systemTime: TimeSource = { monotonic: () => performance.now(), wall: () => Date.now() };

export class SystemClock implements Clock {
  readonly #source: TimeSource;
  readonly #sleep: SleepWatch;

  constructor(source: TimeSource = systemTime) {
    this.#source = source;
    this.#sleep = new SleepWatch(source.monotonic, source.wall);
  }

  get sleeps(): number {
    return this.#sleep.sleeps;
  }

  get sleptMs(): number {
    return this.#sleep.sleptMs;
  }

  now(): number {
    this.#sleep.look();
    return this.#source.monotonic();
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
