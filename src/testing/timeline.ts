import type { Clock } from '../election/index.ts';
import { Queue } from '../simulation/index.ts';

interface Wake {
  atUs: number;
  seq: number;
  readonly owner: ProcessClock;
  wake: (() => void) | null;
}

/** What the programs under test wait for, in the virtual time of the world. */
export class Timeline {
  readonly #now: () => number;
  readonly #queue = new Queue<Wake>();

  constructor(nowUs: () => number) {
    this.#now = nowUs;
  }

  get nowUs(): number {
    return this.#now();
  }

  /** When the next one is due; Infinity if none is. */
  get nextUs(): number {
    for (let next = this.#queue.peek(); next !== undefined; next = this.#queue.peek()) {
      if (next.wake !== null) return next.atUs;
      this.#queue.pop();
    }
    return Number.POSITIVE_INFINITY;
  }

  add(owner: ProcessClock, delayMs: number, wake: () => void): () => void {
    // Time goes on between two wakes, however short: no run stands still for ever.
    const atUs = this.nowUs + Math.max(1, Math.ceil(delayMs * 1000));
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

/** The clock of one process: what is due while it is stopped comes when it goes on; what is due after its end never comes. */
export class ProcessClock implements Clock {
  readonly #timeline: Timeline;
  #isStopped = false;
  #isOver = false;
  #late: { wake: (() => void) | null }[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  now(): number {
    return this.#timeline.nowUs / 1000;
  }

  after(delayMs: number, wake: () => void): () => void {
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    return this.#timeline.add(this, delayMs, wake);
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
