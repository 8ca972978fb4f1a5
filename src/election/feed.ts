import { onceAborted } from './aborts.ts';

/**
 * The newest value of something, for any number of readers. A slow reader misses values that were replaced meanwhile,
 * but never the newest one. Nothing is buffered per reader, so memory does not grow.
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

  /** Every reader gets the newest value if it has not yet, and then ends. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  /** Yields the newest value now, and again after every change. Ends when the signal is aborted. */
  read(signal?: AbortSignal): AsyncIterableIterator<T> {
    let seen = 0;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      forget();
      this.#wakeAll(); // Other readers wake too, find nothing new, and wait again.
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
      // Written by hand: in a generator, `return` would wait for a pending `next` that may never settle.
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
