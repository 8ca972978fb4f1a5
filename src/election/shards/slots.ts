import { BadInput } from '../../core/values.ts';
import { type Register, readRegister } from '../../shards/index.ts';
import type { Election } from '../election.ts';
import { CaucusError } from '../errors.ts';
import type { Observation } from '../observation.ts';
import type { Bell } from './bell.ts';

/** More replicas than this do not fit into the table. */
const MOST_SLOTS = 1000;

/** The election of one slot, and what was last seen of it. */
export class Slot {
  readonly index: number;
  readonly election: Election;
  #seen: Observation | null = null;
  #register: Register | null = null;

  constructor(index: number, election: Election, bell: Bell) {
    this.index = index;
    this.election = election;
    void this.#follow(bell);
  }

  get isKnown(): boolean {
    return this.#seen?.isKnown === true;
  }

  /** Null if it is free, as far as is known. */
  get leader(): string | null {
    return this.#seen?.leader ?? null;
  }

  /** Does another replica hold it? */
  get isTaken(): boolean {
    return this.leader !== null && this.#seen?.isSelf === false;
  }

  /** What its last session said; null if there was none. */
  get register(): Register | null {
    return this.#register;
  }

  get isFree(): boolean {
    return this.isKnown && this.leader === null;
  }

  async #follow(bell: Bell): Promise<void> {
    for await (const seen of this.election.observe()) {
      if (seen.version !== this.#seen?.version) this.#register = registerOf(seen);
      this.#seen = seen;
      bell.ring();
    }
  }
}

/** A value that is none of ours says nothing, and is replaced by the next session. */
function registerOf({ value }: Observation): Register | null {
  try {
    return readRegister(value, 'value');
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    return null;
  }
}

/** The slots of a partition, opened as they are needed. */
export class Slots {
  readonly #open: (index: number) => Slot;
  readonly #slots = new Map<number, Slot>();

  constructor(open: (index: number) => Slot) {
    this.#open = open;
  }

  at(index: number): Slot {
    if (index >= MOST_SLOTS)
      throw new CaucusError('E_REFUSED', `a partition has at most ${MOST_SLOTS} replicas`);
    const slot = this.#slots.get(index) ?? this.#open(index);
    this.#slots.set(index, slot);
    return slot;
  }

  get all(): readonly Slot[] {
    return [...this.#slots.values()];
  }
}
