import { canonicalText } from '../../core/index.ts';

/** Gives each different value a small number, so that a state of the whole cluster is a handful of integers. */
export class Interner<T> {
  readonly #ids = new Map<string, number>();
  readonly #values: T[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** The number of this value; the value must not change afterwards. */
  id(value: T): number {
    const text = canonicalText(value);
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#values.length;
    this.#ids.set(text, id);
    this.#values.push(value);
    return id;
  }

  value(id: number): T {
    return this.#values[id]!;
  }
}
