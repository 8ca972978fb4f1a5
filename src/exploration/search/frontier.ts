/**
 * States that wait to be checked. Those with the least progress (fewest terms, rounds, faults) go first, and among
 * them those with the most messages: so when a state is checked, the states that could cover it are known.
 */
export class Frontier {
  readonly #levels: { readonly byMessages: number[][]; most: number }[] = [];
  #lowest = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(index: number, progress: number, messages: number): void {
    while (this.#levels.length <= progress) this.#levels.push({ byMessages: [], most: -1 });
    const level = this.#levels[progress]!;
    while (level.byMessages.length <= messages) level.byMessages.push([]);
    level.byMessages[messages]!.push(index);
    level.most = Math.max(level.most, messages);
    this.#lowest = Math.min(this.#lowest, progress);
    this.#size += 1;
  }

  pop(): number | undefined {
    for (; this.#lowest < this.#levels.length; this.#lowest++) {
      const level = this.#levels[this.#lowest]!;
      for (; level.most >= 0; level.most--) {
        const index = level.byMessages[level.most]!.pop();
        if (index === undefined) continue;
        this.#size -= 1;
        return index;
      }
    }
    return undefined;
  }
}
