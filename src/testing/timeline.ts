import type { Clock } from '../election/index.ts';
import { Queue, type ProcessClock as SimulatedClock } from '../simulation/index.ts';

interface Wake {
  atUs: number;
  seq: number;
  readonly owner: ProcessClock;
  wake: (() => void) | null;
}

/** What the programs under test wait for, in the virtual time of the world. */
export class Timeline {
  readonly #queue = new Queue<Wake>();

  /** When the next one is due; Infinity if none is. */
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

/** The clock of one process, as its program sees it: it is that of the simulated process. What is due while it is stopped comes when it goes on; what is due after its end never comes. */
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
    // A whole microsecond or more, as everywhere in the world: `after` sees to it that time goes on.
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
