import type { Json, Protocol } from '../core/index.ts';
import type { Blank } from './belonging.ts';
import type { SavePorts } from './election-saves.ts';
import type { Settled } from './options.ts';
import type { SeatLog } from './seat-log.ts';
import type { ElectionsAround } from './surroundings.ts';

/** What the elections of a member have saved: who is told of it, and the newest record of the main one. */
export class SavedRecords implements SavePorts {
  /** The newest durable record of the main election, which is opened before all others. */
  main: Json = null;
  readonly flush: (() => void) | undefined;
  readonly mayBlock: (election: string) => boolean;
  readonly #settled: Settled;
  readonly #around: ElectionsAround;
  readonly #protocol: Protocol;
  readonly #blank: Blank;

  constructor(
    settled: Settled,
    around: ElectionsAround,
    protocol: Protocol,
    blank: Blank,
    mayBlock: (election: string) => boolean,
  ) {
    this.flush = around.flush;
    this.mayBlock = mayBlock;
    this.#settled = settled;
    this.#around = around;
    this.#protocol = protocol;
    this.#blank = blank;
  }

  saved(election: string, record: Json, seatLog: SeatLog): void {
    const { log } = this.#settled;
    if (election === this.#settled.election) {
      this.main = record;
      this.tell(record, true);
    }
    this.#blank.saved(record);
    for (const line of seatLog.news(record)) log({ level: 'info', message: `${election}: ${line}` });
  }

  /** Tells the rest of the member what stands in this record of the main election. */
  tell(record: Json, isSaved: boolean): void {
    const { seats, isPaused } = this.#protocol;
    this.#around.recorded?.(seats?.(record) ?? [], isPaused?.(record) === true, isSaved);
  }
}
