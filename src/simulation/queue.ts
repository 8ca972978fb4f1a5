/** Something due at a moment of virtual time. `seq` breaks ties: what was scheduled first happens first. */
export interface Due {
  atUs: number;
  seq: number;
}

/** A binary heap over (time, sequence number): the only order in which anything happens in the simulated world. */
export class Queue<D extends Due> {
  readonly #heap: D[] = [];
  #seq = 0;

  get length(): number {
    return this.#heap.length;
  }

  peek(): D | undefined {
    return this.#heap[0];
  }

  push(due: D): void {
    due.seq = this.#seq++;
    const heap = this.#heap;
    let at = heap.length;
    heap.push(due);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent]!;
      if (!before(due, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  pop(): D | undefined {
    const first = this.#heap[0];
    if (first !== undefined) this.#takeOut(0);
    return first;
  }

  /** Removes the first match, wherever it is. It searches everything, so it is only for manual actions. */
  remove(fits: (due: D) => boolean): D | undefined {
    const at = this.#heap.findIndex(fits);
    if (at < 0) return undefined;
    const found = this.#heap[at];
    this.#takeOut(at);
    return found;
  }

  /** The last entry fills the gap and moves up or down to its place. */
  #takeOut(gap: number): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (gap === heap.length) return;
    let at = gap;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(last, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      const below = heap[child]!;
      if (!before(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }
}

function before(a: Due, b: Due): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.seq < b.seq);
}
