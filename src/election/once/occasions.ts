import {
  type OnceRecord,
  type OpenRun,
  openRunsIn,
  type Run,
  type Series,
  seriesIn,
} from '../../once/index.ts';
import { type Ending, onceAborted } from '../aborts.ts';
import type { Candidacy } from '../candidacy.ts';
import { deferred } from '../deferred.ts';
import type { Seat } from '../seat.ts';
import { type OnceAround, OnceCall, type OnceOutcome } from './once.ts';
import {
  checkWork,
  type OnceOptions,
  type OnceWork,
  readOnceOptions,
  type TransactionContext,
} from './options.ts';
import { type Changed, type Opener, recordOf, Shift, Unrecorded } from './shift.ts';
import { Turns } from './turns.ts';

/** What is recorded of the occasions of an election. */
export interface Runs {
  /** Those that ended last, the newest at the end. */
  readonly runs: readonly Run[];
  /** Those that have begun and not ended, as far as is recorded. */
  readonly open: readonly (OpenRun & { readonly series: string })[];
}

/** By seat: a member has one seat in an election, on which a program may have created several `Election`s. */
const known = new WeakMap<Seat, Occasions>();

/** The occasions of one election. Works of different series run at the same time, under one leadership. */
export class Occasions {
  readonly #around: OnceAround;
  readonly #seat: Seat;
  #shift: Shift | null = null;
  /** By series: how many schedules run. */
  readonly scheduled: Map<string, number> = new Map();

  private constructor(candidacy: Candidacy, seat: Seat, tell: (message: string) => void) {
    this.#seat = seat;
    this.#around = {
      candidacy,
      seat,
      tell,
      turns: new Turns(),
      enter: () => {
        if (this.#shift?.isOpen !== true) this.#shift = new Shift(candidacy, seat);
        return this.#shift;
      },
    };
  }

  /** Those of this seat, shared: two that derive their records apart would each undo what the other has recorded. */
  static of(candidacy: Candidacy, seat: Seat, tell: (message: string) => void): Occasions {
    const occasions = known.get(seat) ?? new Occasions(candidacy, seat, tell);
    known.set(seat, occasions);
    return occasions;
  }

  async once<T>(
    occasion: string | number | Date,
    work: OnceWork<T, TransactionContext>,
    options: OnceOptions,
    isDue: (series: Series) => boolean = () => true,
  ): Promise<OnceOutcome<T>> {
    checkWork(work);
    return new OnceCall(this.#around, { ...readOnceOptions(occasion, options), isDue }, work).run();
  }

  /**
   * Changes the record, under a leadership that is held for that alone unless other calls work under it. Rejects if the
   * signal is aborted before it is elected, or with `Unrecorded`.
   */
  async change<T>(
    call: Opener,
    derive: (record: OnceRecord) => Changed<T>,
    signal: AbortSignal,
    isEnd: boolean,
  ): Promise<T> {
    const shift = this.#around.enter();
    shift.enter(call);
    const stopped = deferred<never>();
    const forget = onceAborted([signal], (reason) => stopped.reject(reason));
    try {
      await Promise.race([shift.held, stopped.promise]);
      if (!shift.leadership.isValid()) throw new Unrecorded(shift.leadership.lost, false);
      return await shift.change(derive, isEnd);
    } finally {
      forget();
      shift.leave(call);
    }
  }

  get candidacy(): Candidacy {
    return this.#around.candidacy;
  }

  /** What is recorded, as far as we know. */
  get record(): OnceRecord {
    return recordOf(this.#seat);
  }

  /** Aborted when the election is closed. */
  get closed(): Ending {
    return this.#around.candidacy.closed;
  }

  /** Throws if the election has published something else. */
  get runs(): Runs {
    const record = recordOf(this.#seat);
    return { runs: record.runs, open: openRunsIn(record) };
  }

  seriesOf(name: string): Series {
    return seriesIn(recordOf(this.#seat), name);
  }
}
