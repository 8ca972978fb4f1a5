const ROWS_SHIFT = 14;
const ROWS = 1 << ROWS_SHIFT;
const ROW_MASK = ROWS - 1;

/** A table of integers that grows by rows and never moves its content. */
export class Rows {
  readonly width: number;
  size = 0;
  readonly #chunks: Int32Array[] = [];

  constructor(width: number) {
    this.width = width;
  }

  /** Adds a row of zeros and returns its number. */
  add(): number {
    const index = this.size++;
    if (index >> ROWS_SHIFT === this.#chunks.length) this.#chunks.push(new Int32Array(ROWS * this.width));
    return index;
  }

  get(index: number, column: number): number {
    return this.#chunks[index >> ROWS_SHIFT]![(index & ROW_MASK) * this.width + column]!;
  }

  set(index: number, column: number, value: number): void {
    this.#chunks[index >> ROWS_SHIFT]![(index & ROW_MASK) * this.width + column] = value;
  }

  /** Copies the first columns of a row. */
  read(index: number, into: Int32Array): void {
    const chunk = this.#chunks[index >> ROWS_SHIFT]!;
    const at = (index & ROW_MASK) * this.width;
    for (let i = 0; i < into.length; i++) into[i] = chunk[at + i]!;
  }

  write(index: number, from: Int32Array): void {
    this.#chunks[index >> ROWS_SHIFT]!.set(from, (index & ROW_MASK) * this.width);
  }

  /** Do the first `count` columns of a row hold these values? */
  holds(index: number, values: Int32Array, count: number): boolean {
    const chunk = this.#chunks[index >> ROWS_SHIFT]!;
    const at = (index & ROW_MASK) * this.width;
    for (let i = 0; i < count; i++) if (chunk[at + i] !== values[i]) return false;
    return true;
  }
}
