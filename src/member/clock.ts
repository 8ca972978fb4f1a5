import { SleepWatch } from '../election/index.ts';
import type { HostClock } from '../host/index.ts';

/**
 * Every timer takes at least this long, so that a protocol that sets the same timer again cannot loop without time
 * passing.
 */
const SHORTEST_MS = 0.01;

export type Clock = HostClock;

/** The clocks of the system. */
interface TimeSource {
  monotonic(): number;
  wall(): number;
  /** Milliseconds since the machine was started, its sleeps included; null if that is not known (default: the system's). */
  readonly boot?: (() => number) | null;
}

const systemTime: TimeSource = { monotonic: () => performance.now(), wall: () => Date.now() };

export class SystemClock implements Clock {
  readonly #source: TimeSource;
  readonly #sleep: SleepWatch;

  constructor(source: TimeSource = systemTime) {
    this.#source = source;
    this.#sleep = new SleepWatch(source.monotonic, source.wall, source.boot);
  }

  get sleeps(): number {
    return this.#sleep.sleeps;
  }

  get sleptMs(): number {
    return this.#sleep.sleptMs;
  }

  now(): number {
    this.#sleep.look();
    return this.#sleep.nowMs;
  }

  wallNow(): number {
    return this.#source.wall();
  }

  after(delayMs: number, nowMs: number = this.now()): number {
    return nowMs + Math.max(SHORTEST_MS, delayMs);
  }

  set(atMs: number, run: () => void): () => void {
    let timeout: NodeJS.Timeout;
    const wait = (): void => {
      const leftMs = atMs - this.#source.monotonic();
      // Node.js timers have a resolution of 1 ms and may fire slightly early.
      if (leftMs > 0) timeout = setTimeout(wait, Math.ceil(leftMs));
      else run();
    };
    timeout = setTimeout(wait, Math.ceil(Math.max(0, atMs - this.#source.monotonic())));
    return () => clearTimeout(timeout);
  }
}

const YEAR_2025_MS = Date.UTC(2025, 0, 1);

/**
 * In tenths of a second. A cluster without data folders that restarts begins its terms, and so its tokens, here; so does
 * a voter of `draw` with `quorum` on an empty disk. That
 * is above all earlier tokens if it had fewer than ten elections per second and no clock was set back to before the
 * last start.
 */
export function tenthsSince2025(wallMs: number): number {
  return Math.max(0, Math.floor((wallMs - YEAR_2025_MS) / 100));
}
