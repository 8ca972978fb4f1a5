import type { Json } from '../core/index.ts';
import type { ElectionStore } from './election-records.ts';
import type { SeatLog } from './seat-log.ts';

/** The same for all elections of a member. */
export interface SavePorts {
  /** Called before a save that blocks. */
  flush?: (() => void) | undefined;
  /** Called with every record that is durable, before what depends on it leaves. */
  saved(election: string, record: Json, seatLog: SeatLog): void;
  /** A record is saved by `save` as long as this holds and none is on its way. */
  mayBlock(election: string): boolean;
}

/** How one election saves its records. */
export class ElectionSaves {
  readonly #election: string;
  readonly #store: ElectionStore;
  readonly #seatLog: SeatLog;
  readonly #ports: SavePorts;
  #underWay = 0;

  constructor(election: string, store: ElectionStore, seatLog: SeatLog, ports: SavePorts) {
    this.#election = election;
    this.#store = store;
    this.#seatLog = seatLog;
    this.#ports = ports;
  }

  /** Is the next record to be saved by `save`? */
  get blocks(): boolean {
    if (this.#store.saveSoon === undefined) return true;
    return this.#underWay === 0 && this.#ports.mayBlock(this.#election);
  }

  save(record: Json): string | null {
    this.#ports.flush?.();
    try {
      this.#store.save(record);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    this.#ports.saved(this.#election, record, this.#seatLog);
    return null;
  }

  saveSoon(record: Json, done: (failure: string | null) => void): void {
    this.#underWay += 1;
    this.#store.saveSoon!(record, (failure) => {
      this.#underWay -= 1;
      if (failure === null) this.#ports.saved(this.#election, record, this.#seatLog);
      done(failure?.message ?? null);
    });
  }

  settle(): void {
    this.#store.settle?.();
  }
}
