/** The values of something over time. A lookup is a binary search, never a second run. */
export class Track<T> {
  readonly timesMs: number[] = [];
  readonly values: T[] = [];

  /** Moments come in order; the last value of a moment counts. */
  push(atMs: number, value: T): void {
    if (this.timesMs.at(-1) === atMs) {
      this.values[this.values.length - 1] = value;
    } else {
      this.timesMs.push(atMs);
      this.values.push(value);
    }
  }

  get last(): T | undefined {
    return this.values.at(-1);
  }

  at(ms: number): T | undefined {
    return this.values[countUpTo(this.timesMs, ms) - 1];
  }
}

/** How many of these sorted moments have come by then. */
export function countUpTo(timesMs: readonly number[], ms: number): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
