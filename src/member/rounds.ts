/** No more are done before messages are read again, */
const AT_ONCE = 16;
/** and none is begun after this time: code that has not run for a while is slow at first. */
const TURN_MS = 3;

/**
 * Does something for each of many, some at a time, and lets the process read messages in between. When a process dies
 * that led a thousand elections, the first of them are led again while the others have yet to hear of it, and none of
 * them waits for a turn of a thousand steps. Each of them hears of everything in the order in which it was added.
 */
export class Rounds<T> {
  readonly #now: () => number;
  readonly #waiting = new Map<T, ((each: T) => void)[]>();
  #timer: NodeJS.Immediate | undefined;

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first ones are done before this returns, unless others wait. */
  add(all: readonly T[], work: (each: T) => void): void {
    for (const each of all) {
      const earlier = this.#waiting.get(each);
      if (earlier === undefined) this.#waiting.set(each, [work]);
      else earlier.push(work);
    }
    if (this.#timer === undefined) this.#next();
  }

  /** Has this one yet to hear of something? */
  isWaiting(each: T): boolean {
    return this.#waiting.has(each);
  }

  /** Does now what waits for this one. */
  settle(each: T): void {
    const waiting = this.#waiting.get(each);
    if (waiting === undefined) return;
    this.#waiting.delete(each);
    for (const work of waiting) work(each);
  }

  close(): void {
    this.#waiting.clear();
    clearImmediate(this.#timer);
  }

  #next(): void {
    this.#timer = undefined;
    const endsAtMs = this.#now() + TURN_MS;
    let done = 0;
    for (const each of this.#waiting.keys()) {
      // What this one hears may add to what waits, and that must not begin a turn of its own.
      this.#timer ??= setImmediate(() => this.#next());
      if (done >= AT_ONCE || (done > 0 && this.#now() >= endsAtMs)) return;
      this.settle(each);
      done += 1;
    }
    clearImmediate(this.#timer);
    this.#timer = undefined;
  }
}
