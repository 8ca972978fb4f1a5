import type { Delay } from '../core/index.ts';
import { longestMs, shortestMs } from './time.ts';

/** A timer as it was last set. */
export interface SetTimer {
  /** Increases with every timer that is set in the world. */
  order: number;
  delay: Delay;
  /** By the clock of the process. */
  atMs: number;
}

/** With more timers than this, those that do not run any more are dropped. */
const MANY = 16;

/**
 * When the timers of one process were set: a timer that is made to come due by hand ends the leases that were set before it.
 * The host of the process knows which of them still run.
 */
export class SetTimers {
  readonly #timers = new Map<string, SetTimer>();
  /** Timers that bound no leadership any more, although they have not come due. */
  #ended: Set<SetTimer> | null = null;

  get(name: string): SetTimer | undefined {
    return this.#timers.get(name);
  }

  entries(): IterableIterator<[string, SetTimer]> {
    return this.#timers.entries();
  }

  /** Nearly every step sets a timer again, so its entry is kept. */
  set(name: string, order: number, delay: Delay, atMs: number, isRunning: (name: string) => boolean): void {
    const known = this.#timers.get(name);
    if (known !== undefined) {
      known.order = order;
      known.delay = delay;
      known.atMs = atMs;
      this.#ended?.delete(known);
      return;
    }
    // The lease of every round has a timer of its own: without this, they would become ever more.
    if (this.#timers.size >= MANY)
      for (const each of this.#timers.keys()) if (!isRunning(each)) this.#timers.delete(each);
    this.#timers.set(name, { order, delay, atMs });
  }

  clear(): void {
    this.#timers.clear();
    this.#ended = null;
  }

  /** Has any timer been ended, since the process started? */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  isEnded(name: string): boolean {
    const timer = this.#ended === null ? undefined : this.#timers.get(name);
    return timer !== undefined && this.#ended!.has(timer);
  }

  /** Ends the timers that were set before this one, and for no longer. */
  endBefore(due: SetTimer): void {
    for (const timer of this.#timers.values()) {
      if (timer.order >= due.order || longestMs(timer.delay) > shortestMs(due.delay)) continue;
      this.#ended ??= new Set();
      this.#ended.add(timer);
    }
  }
}
