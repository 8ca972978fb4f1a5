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
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
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
    return first;
  }
}

function before(a: Due, b: Due): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.seq < b.seq);
}
