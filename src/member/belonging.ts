/** To which cluster a member belongs, as far as recoveries (`caucus recover`) make a difference. */
import { type ClusterRecovery, type Json, type Protocol, recoveryWords } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import type { Identity } from '../peers/index.ts';
import type { Store } from './data-folder.ts';
import { largestClaim } from './door.ts';
import type { LogEntry } from './join-options.ts';

export class Belonging {
  readonly #store: Store;
  readonly #elections: { readonly isBlank: boolean };
  readonly #log: (entry: LogEntry) => void;

  constructor(store: Store, elections: { readonly isBlank: boolean }, log: (entry: LogEntry) => void) {
    this.#store = store;
    this.#elections = elections;
    this.#log = log;
  }

  /** This identity, with what is true of the member at the moment of each greeting. */
  in(identity: Identity): Identity {
    return Object.defineProperties(identity, {
      recovery: { enumerable: true, get: () => this.#store.member.recovery },
      isBlank: { enumerable: true, get: () => this.#elections.isBlank || undefined },
    });
  }

  adopt(recovery: ClusterRecovery): void {
    const term = Math.min(recovery.term, largestClaim(Date.now(), 'link'));
    try {
      this.#store.adopt({ ...recovery, term });
    } catch (error) {
      if (!(error instanceof CaucusError)) throw error;
      this.#log({ level: 'error', message: error.message });
    }
    const message = `this member belongs to the cluster after ${recoveryWords(recovery)}, until its data folder is emptied`;
    this.#log({ level: 'info', message });
  }
}

/** Has the disk of a member a seat in no cluster yet? */
export class Blank {
  readonly #store: Store;
  readonly #protocol: Protocol;
  /** Was a seat found in one of its records? Null: they were not looked at yet. */
  #isSeated: boolean | null = null;

  constructor(store: Store, protocol: Protocol) {
    this.#store = store;
    this.#protocol = protocol;
  }

  /**
   * Elections that are not open count too: the main election may never have had a leader. A record that cannot be read
   * may have had a seat.
   */
  get is(): boolean {
    this.#isSeated ??= this.#store
      .records(this.#protocol.name)
      .some((record) => record === null || this.#hasSeats(record));
    return !this.#isSeated;
  }

  saved(record: Json): void {
    if (this.#isSeated === false) this.#isSeated = this.#hasSeats(record);
  }

  #hasSeats(record: Json): boolean {
    return this.#protocol.seats?.(record).some(({ disk }) => disk !== null) ?? true;
  }
}
