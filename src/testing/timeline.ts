import type { Clock } from '../election/index.ts';
import { Queue, type ProcessClock as SimulatedClock } from '../simulation/index.ts';

interface Wake {
  atUs: number;
  seq: number;
  readonly owner: ProcessClock;
  wake: (() => void) | null;
}

/** The timers of the programs under test, in the virtual time of the world. */
export class Timeline {
  readonly #queue = new Queue<Wake>();

  /** When the next one is due; Infinity if there is none. */
  get nextUs(): number {
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      if (next.wake !== null) return next.atUs;
      this.#queue.pop();
    }
    return Number.POSITIVE_INFINITY;
  }

  add(owner: ProcessClock, atUs: number, wake: () => void): () => void {
    const entry: Wake = { atUs, seq: 0, owner, wake };
    this.#queue.push(entry);
    return () => {
      entry.wake = null;
    };
  }

  wakeNext(): void {
    const next = this.#queue.pop();
    if (next?.wake) next.owner.due(next as { wake: () => void });
  }
}

/**
 * The clock of one process, as its program sees it: that of the simulated process. Timers that come due while it is
 * paused fire when it resumes; after its end none fires.
 */
export class ProcessClock implements Clock {
  readonly #timeline: Timeline;
  readonly #clock: SimulatedClock;
  #isStopped = false;
  #isOver = false;
  #late: { wake: (() => void) | null }[] = [];

  constructor(timeline: Timeline, clock: SimulatedClock) {
    this.#timeline = timeline;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(delayMs: number, wake: () => void): () => void {
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    // At least one microsecond, as everywhere in the simulated world, so that time passes.
    const atMs = this.#clock.after(Math.ceil(delayMs * 1000) / 1000);
    return this.#timeline.add(this, this.#clock.toWorldUs(atMs), wake);
  }

  due(entry: { wake: (() => void) | null }): void {
    if (this.#isOver) return;
    if (this.#isStopped) this.#late.push(entry);
    else entry.wake?.();
  }

  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    for (const entry of this.#late.splice(0)) entry.wake?.();
  }

  end(): void {
    this.#isOver = true;
  }
}
