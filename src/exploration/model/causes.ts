import type { Command, MemberId } from '../../core/index.ts';
import { countOf } from './bounds.ts';
import type { Cause } from './member.ts';
import type { Outcomes } from './outcomes.ts';

/**
 * The numbers of causes other than messages and timers. Comparing plain texts is faster than comparing whole causes.
 */
export class Causes {
  readonly #outcomes: Outcomes;
  readonly #ids = new Map<string, number>();
  readonly #starts: number[] = [];

  constructor(outcomes: Outcomes) {
    this.#outcomes = outcomes;
  }

  /** Incarnations are numbered by the crashes so far: new at every start, and they need not be stored. */
  start(amnesia: boolean, faults: number): number {
    const crashes = countOf(faults, 'crashes');
    const key = 2 * crashes + Number(amnesia);
    let id = this.#starts[key];
    if (id === undefined) {
      id = this.#of({ type: 'start', amnesia, incarnation: 1 + crashes });
      this.#starts[key] = id;
    }
    return id;
  }

  command(id: number, command: Command): number {
    return this.#of({ type: 'command', id, command });
  }

  gone(peer: MemberId, proof: boolean, life: string | null): number {
    return this.#of({ type: 'peer-gone', peer, proof, life });
  }

  back(peer: MemberId): number {
    return this.#of({ type: 'peer-back', peer });
  }

  #of(cause: Exclude<Cause, { type: 'message' | 'timer' }>): number {
    const text = JSON.stringify(cause);
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#outcomes.causes.id(cause);
      this.#ids.set(text, id);
    }
    return id;
  }
}
