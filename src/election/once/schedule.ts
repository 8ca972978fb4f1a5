import { BadInput, choice, refuseUnknown, show } from '../../core/values.ts';
import { type CatchUp, due, type FireTimes, instantAt, momentOf, type Series } from '../../once/index.ts';
import { onceAborted } from '../aborts.ts';
import { type Clock, wallOf } from '../clock.ts';
import { deferred } from '../deferred.ts';
import { CaucusError } from '../errors.ts';
import { problemOf } from '../work.ts';
import { fireTimes } from './fire-times.ts';
import type { Occasions } from './occasions.ts';
import type { OnceOutcome } from './once.ts';
import {
  checkWork,
  NotDue,
  ONCE_FIELDS,
  type OnceOptions,
  type OnceWork,
  readOnceOptions,
  type TransactionContext,
} from './options.ts';

/** How a schedule runs. All replicas should say the same. */
export interface ScheduleOptions extends Omit<OnceOptions, 'misfire'> {
  /** The zone of the cron line (default: UTC). */
  readonly timezone?: string;
  /**
   * What to do about fire times that have passed, because no participant ran or a run took long: run `all` of them, only
   * the `last` one, or `none` of those that are late by more than `lateMs` (default: `last`).
   */
  readonly catchUp?: CatchUp;
  /** Called with what became of each occasion that this participant ran, or waited for while another one did. */
  readonly onRun?: (outcome: OnceOutcome) => void;
}

/** A clock that was set, or a machine that slept, is noticed after this time. */
const LONGEST_SLEEP_MS = 30_000;
/** How long to wait after an occasion that could not be recorded. */
const AGAIN_MS = 5000;
/** Errors that no retry cures. */
const FINAL: readonly string[] = ['E_CLOSED', 'E_REFUSED', 'E_UNSUPPORTED'];
const DEFAULT_DRAIN_MS = 10_000;

const { misfire: _, ...OF_ONCE } = ONCE_FIELDS;
const FIELDS: Readonly<Record<keyof ScheduleOptions, 0>> = { timezone: 0, catchUp: 0, onRun: 0, ...OF_ONCE };

/** One schedule: sleeps until a fire time, and has its work done once for that occasion. */
export class Schedule {
  readonly #occasions: ScheduleAround['occasions'];
  readonly #clock: Clock;
  readonly #tell: (message: string) => void;
  readonly #fires: FireTimes;
  readonly #options: Omit<OnceOptions, 'misfire'> & { readonly series: string; readonly lateMs: number };
  readonly #catchUp: CatchUp;
  readonly #onRun: ((outcome: OnceOutcome) => void) | undefined;
  readonly #startedMs: number;
  #handledMs = Number.NEGATIVE_INFINITY;

  private constructor(
    { occasions, clock, tell, startedMs = wallOf(clock) }: ScheduleAround,
    fires: FireTimes,
    { timezone: _, catchUp = 'last', onRun, ...options }: ScheduleOptions,
  ) {
    this.#occasions = occasions;
    this.#clock = clock;
    this.#tell = tell;
    this.#fires = fires;
    const { series, lateMs } = readOnceOptions(0, options);
    this.#options = { drainMs: DEFAULT_DRAIN_MS, ...options, series, lateMs };
    this.#catchUp = choice('all', 'last', 'none').read(catchUp, 'catchUp');
    this.#onRun = onRun;
    this.#startedMs = startedMs;
  }

  /** Checks everything. Throws BadInput. */
  static async open(around: ScheduleAround, line: string, options: ScheduleOptions): Promise<Schedule> {
    if (typeof options !== 'object' || options === null)
      throw new BadInput('options', 'an object', show(options));
    const { onRun } = options;
    if (onRun !== undefined && typeof onRun !== 'function')
      throw new BadInput('onRun', 'a function', show(onRun));
    if ('misfire' in options) throw new BadInput('misfire', 'catchUp in its place', show(options.misfire));
    refuseUnknown(options, FIELDS, '');
    const fires = await fireTimes(line, options.timezone ?? 'UTC');
    return new Schedule(around, fires, options);
  }

  /** Settles when the signal is aborted and the work has ended; rejects if the election is closed before. */
  async run(work: OnceWork<unknown, TransactionContext>): Promise<void> {
    checkWork(work);
    const { signal, series } = this.#options;
    const { scheduled } = this.#occasions;
    const others = scheduled.get(series) ?? 0;
    if (others > 0)
      this.#tell(
        `two schedules of this process have the series ${series}: each fire time that both have is done by one of them; give each its own series`,
      );
    scheduled.set(series, others + 1);
    try {
      await this.#runUntil(signal, work);
    } finally {
      scheduled.set(series, scheduled.get(series)! - 1);
    }
  }

  async #runUntil(
    signal: AbortSignal | undefined,
    work: OnceWork<unknown, TransactionContext>,
  ): Promise<void> {
    while (!signal?.aborted) {
      const { dueMs, nextMs } = this.#look(this.#occasions.seriesOf(this.#options.series));
      if (dueMs !== null) await this.#runOccasion(dueMs, work);
      else await this.#sleep(nextMs === null ? LONGEST_SLEEP_MS : nextMs - wallOf(this.#clock));
    }
  }

  #look({ last, open }: Series): ReturnType<typeof due> {
    const lastMs = last === null ? null : momentOf(last.occasion);
    if (last !== null && lastMs === null) {
      const found = `the series ${this.#options.series} with ${last.occasion}`;
      throw new BadInput('series', 'one whose occasions are fire times', found);
    }
    const openMs = open === null ? null : momentOf(open.occasion);
    const beganMs = openMs === null ? this.#startedMs : openMs - 1;
    return due(this.#fires, {
      sinceMs: Math.max(this.#handledMs, lastMs ?? beganMs),
      openMs,
      nowMs: wallOf(this.#clock),
      catchUp: this.#catchUp,
      lateMs: this.#options.lateMs,
    });
  }

  async #runOccasion(dueMs: number, work: OnceWork<unknown, TransactionContext>): Promise<void> {
    const { signal } = this.#options;
    let outcome: OnceOutcome;
    try {
      // What was known of the record may have been old, and only its leader knows it for certain: before an occasion is
      // begun, none before it may be due.
      const isDue = (series: Series): boolean => (this.#look(series).dueMs ?? dueMs) >= dueMs;
      outcome = await this.#occasions.once(instantAt(dueMs)!, work, this.#options, isDue);
    } catch (error) {
      if (error instanceof NotDue) return;
      if (signal?.aborted && error === signal.reason) return;
      if (error instanceof BadInput && error.path === 'occasion') {
        this.#handledMs = dueMs; // Another participant has begun a later one.
        return;
      }
      if (error instanceof CaucusError && FINAL.includes(error.code)) throw error;
      this.#tell(`${instantAt(dueMs)} could not be run, and is tried again: ${problemOf(error)}`);
      return this.#sleep(AGAIN_MS);
    }
    this.#handledMs = dueMs;
    if (outcome.outcome === 'failed') this.#tell(`${outcome.occasion} has failed: ${outcome.run.error}`);
    this.#onRun?.(outcome);
  }

  async #sleep(ms: number): Promise<void> {
    const over = deferred();
    const wakeMs = Math.min(Math.max(ms, 1), LONGEST_SLEEP_MS);
    const stop = this.#clock.after(wakeMs, () => over.resolve());
    const forget = onceAborted([this.#options.signal, this.#occasions.closed], () => over.resolve());
    await over.promise;
    stop();
    forget();
    if (!this.#options.signal?.aborted) this.#occasions.closed.throwIfAborted();
  }
}

/** What a schedule needs of its election. */
export interface ScheduleAround {
  readonly occasions: Pick<Occasions, 'once' | 'seriesOf' | 'scheduled' | 'closed'>;
  /** When the schedule began, by the wall clock (default: now). */
  readonly startedMs?: number;
  readonly clock: Clock;
  readonly tell: (message: string) => void;
}
