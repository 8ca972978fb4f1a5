import { onceAborted } from './aborts.ts';

/**
 * The newest of something, for any number of readers. A reader that is slow misses what was replaced meanwhile, never what
 * is newest; nothing is kept for it, so nothing piles up.
 */
export class Feed<T> {
  #latest: T;
  #revision = 1;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(first: T) {
    this.#latest = first;
  }

  get latest(): T {
    return this.#latest;
  }

  set(value: T): void {
    if (this.#isClosed) return;
    this.#latest = value;
    this.#revision += 1;
    this.#wakeAll();
  }

  /** Every reader gets what is newest if it has not yet, and then comes to its end. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  /** What is newest now, and from then on whatever is newest whenever the reader asks. Ends when the signal is aborted. */
  read(signal?: AbortSignal): AsyncIterableIterator<T> {
    let seen = 0;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      forget();
      this.#wakeAll(); // Those of other readers see that nothing is new for them.
    };
    let forget = (): void => {};
    forget = onceAborted([signal], end);

    const next = async (): Promise<IteratorResult<T, undefined>> => {
      while (!isOver) {
        if (seen < this.#revision) {
          seen = this.#revision;
          return { done: false, value: this.#latest };
        }
        if (this.#isClosed) end();
        else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      return { done: true, value: undefined };
    };
    return {
      next,
      // Written by hand, because a generator would let `return` wait for a `next` that may never come.
      return: () => {
        end();
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
