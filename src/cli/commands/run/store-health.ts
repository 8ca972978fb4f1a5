import type { Election } from '../../../election/index.ts';
import type { Log } from '../../terminal/log.ts';

/** Logs what is wrong with the store of an election: once when it begins or changes, and once when it is over. */
export class StoreHealth {
  /** Null: nothing is wrong. */
  illness: string | null = null;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Runs until the election is closed. */
  async follow(election: Election): Promise<void> {
    for await (const { cause, detail } of election.observe()) {
      if (cause === 'closed') continue; // Not about the store.
      const illness = cause === 'store-unreachable' ? detail : null;
      if (illness === this.illness) continue;
      this.illness = illness;
      const level = illness === null ? 'info' : 'error';
      this.#log({ level, event: 'health', text: illness ?? 'well again', illness });
    }
  }
}
