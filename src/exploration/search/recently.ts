import { hashOf } from './rows.ts';

const SLOTS = 1 << 20;

/** Remembers many of the states that were seen lately: enough to spare most of the work on what is reached again and again. */
export class Recently {
  readonly #width: number;
  readonly #slots: Int32Array;

  constructor(width: number) {
    this.#width = width;
    this.#slots = new Int32Array(SLOTS * width).fill(-1);
  }

  /** Was this state seen lately? From now on it was. */
  saw(state: Int32Array): boolean {
    const at = (hashOf(state, this.#width) & (SLOTS - 1)) * this.#width;
    for (let i = 0; i < this.#width; i++) {
      if (this.#slots[at + i] === state[i]) continue;
      this.#slots.set(state, at);
      return false;
    }
    return true;
  }
}
