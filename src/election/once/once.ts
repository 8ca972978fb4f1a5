import { BadInput, OWN_TOKEN, show } from '../../core/values.ts';
import {
  begin,
  decide,
  end,
  type Occasion,
  type OnceRecord,
  type Run,
  type Series,
  seriesIn,
  settled,
} from '../../once/index.ts';
import { onceAborted } from '../aborts.ts';
import type { Candidacy } from '../candidacy.ts';
import { wallOf } from '../clock.ts';
import { deferred } from '../deferred.ts';
import { CaucusError } from '../errors.ts';
import type { Seat } from '../seat.ts';
import { isStop, problemOf, type Result } from '../work.ts';
import { attempt, type Begun } from './attempt.ts';
import { NotDue, type OnceSettings, type OnceWork, type TransactionContext } from './options.ts';
import { type Changed, type Opener, recordOf, type Shift, Unrecorded } from './shift.ts';
import type { Turns } from './turns.ts';

/** What became of an occasion. */
export interface OnceOutcome<T = unknown> {
  /**
   * What this call has recorded: `done`, `failed` (its error is the last one of the work) or `skipped`. With `already-`
   * before it, that end was recorded by another participant or an earlier call.
   */
  readonly outcome: Run['outcome'] | `already-${Run['outcome']}`;
  readonly occasion: Occasion;
  /** The token with which it was recorded. */
  readonly token: bigint;
  /** The participant that recorded it. */
  readonly by: string;
  /** All that is recorded of it. */
  readonly run: Run;
  /** What the work returned, if this call did it. */
  readonly value?: T;
  /** What the work threw last, if this call did it. */
  readonly error?: unknown;
}

/** The election, as one call of `once` uses it. */
export interface OnceAround {
  readonly candidacy: Candidacy;
  readonly seat: Seat;
  readonly turns: Turns;
  /** The current shift, or a new one. */
  enter(): Shift;
  /** Logs a line for people. */
  tell(message: string): void;
}

const LONGEST_BACK_OFF_MS = 60_000;
/** So many records that cannot be written in a row are a refusal of the store, which no retry cures. */
const MOST_UNRECORDED = 5;

/** One call of `once`: waits until the occasion is recorded by another participant, or does the work itself. */
export class OnceCall<T> implements Opener {
  readonly #around: OnceAround;
  readonly #settings: OnceSettings;
  readonly #work: OnceWork<T, TransactionContext>;
  /** The tokens under which this call has begun. */
  readonly #tokens = new Set<string>();
  #unrecorded = 0;
  #last: Result<T> | null = null;
  /** The last run of the series when this call was to begin with the leadership. */
  #previous: Run | null = null;
  /** The attempt whose work has returned while its leadership lasted, if its end may not be recorded. */
  #returned: { readonly token: string; readonly attempt: number } | null = null;

  constructor(around: OnceAround, settings: OnceSettings, work: OnceWork<T, TransactionContext>) {
    if (around.seat.standing.isCurrent === null) {
      const message = 'the protocol of this election cannot record occasions: use quorum';
      throw new CaucusError('E_UNSUPPORTED', message);
    }
    if (settings.idleMs !== null && around.seat.transact === undefined)
      throw new CaucusError('E_UNSUPPORTED', 'transaction: only PostgreSQL can record an occasion in one');
    this.#around = around;
    this.#settings = settings;
    this.#work = work;
  }

  async run(): Promise<OnceOutcome<T>> {
    const known = this.#known();
    if (known !== null) return this.#outcomeOf(known);
    const { signal, series } = this.#settings;
    const { turns, candidacy } = this.#around;
    return turns.take(series, [signal, candidacy.closed], () => this.#inTurn());
  }

  async #inTurn(): Promise<OnceOutcome<T>> {
    for (;;) {
      const known = this.#known();
      if (known !== null) return this.#outcomeOf(known);
      this.#settings.signal?.throwIfAborted();
      const run = await this.#shift();
      if (run !== null) return this.#outcomeOf(run);
    }
  }

  /** What is recorded of the occasion already. An end never changes, so a reading may be old. Throws for bad input. */
  #known(): Run | null {
    const { seat } = this.#around;
    if (seat.standing.isKnown === false) return null;
    return this.#answer(settled(recordOf(seat), this.#settings));
  }

  #answer(decision: ReturnType<typeof settled>): Run | null {
    if (decision?.do === 'refuse')
      throw new BadInput('occasion', decision.expected, show(this.#settings.occasion));
    return decision?.do === 'answer' ? decision.run : null;
  }

  /** Null: look again. */
  async #shift(): Promise<Run | null> {
    const shift = this.#around.enter();
    shift.enter(this);
    try {
      if (!(await this.#isElected(shift))) return null;
      return await this.#attempts(shift);
    } catch (error) {
      if (!(error instanceof Unrecorded)) throw error;
      if (error.isRefused) this.#unrecorded += 1;
      if (this.#unrecorded === MOST_UNRECORDED) throw error.cause;
      return null;
    } finally {
      shift.leave(this);
    }
  }

  /** Waits to be elected, unless the record says before that there is nothing to do. */
  async #isElected(shift: Shift): Promise<boolean> {
    const { seat } = this.#around;
    const { signal } = this.#settings;
    const over = deferred<boolean>();
    const unwatch = seat.watch(() => {
      try {
        if (this.#known() !== null) over.resolve(false);
      } catch {
        over.resolve(false); // It is thrown when the call looks again.
      }
    });
    const forget = onceAborted([signal], (reason) => over.reject(reason));
    try {
      return await Promise.race([shift.held.then(() => shift.leadership.isValid()), over.promise]);
    } finally {
      unwatch();
      forget();
    }
  }

  /** Null: the leadership has ended before the occasion did. */
  async #attempts(shift: Shift): Promise<Run | null> {
    const { backOffMs, retries } = this.#settings;
    for (let failures: number | null = null; ; ) {
      const started: Run | Begun = await shift.change((record) => this.#begin(record, shift, failures));
      if ('outcome' in started) return started;
      this.#unrecorded = 0;
      // A process that was stopped meanwhile must not begin what another participant has begun again.
      if (!shift.leadership.isValid()) return null;
      this.#tokens.add(String(shift.leadership.token));
      const finish = (record: OnceRecord): Changed<Run> =>
        this.#ended(record, shift, { outcome: 'done' as const });
      const around = { candidacy: this.#around.candidacy, settings: this.#settings, shift };
      const result = await attempt(around, this.#work, started, finish);
      this.#last = result;
      if (!result.ok && result.error instanceof CutShort) shift.fail(result.error.message);
      if (!shift.leadership.isValid()) {
        if (!result.ok && !isStop(result.error, shift.leadership.lost))
          this.#around.tell(`the work failed when it was cut short: ${problemOf(result.error)}`);
        return null;
      }
      if (result.ok) {
        this.#returned = { token: String(shift.leadership.token), attempt: started.attempt };
        return result.run ?? (await this.#recordEnd(shift, finish));
      }
      const error = problemOf(result.error);
      failures = started.failures + 1;
      if (failures > retries)
        return this.#recordEnd(shift, (record) =>
          this.#ended(record, shift, { outcome: 'failed' as const, error }),
        );
      const delayMs = Math.min(backOffMs * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
      this.#around.tell(`attempt ${started.attempt} failed, and is repeated in ${delayMs} ms: ${error}`);
      await this.#pause(shift, delayMs);
      this.#settings.signal?.throwIfAborted();
      if (!shift.leadership.isValid()) return null;
    }
  }

  async #recordEnd(shift: Shift, finish: (record: OnceRecord) => Changed<Run>): Promise<Run> {
    try {
      return await shift.change(finish, true);
    } catch (error) {
      if (error instanceof Unrecorded) {
        const what = `the end of ${this.#settings.occasion} could not be recorded`;
        this.#around.tell(`${what}, so its work may be repeated: ${problemOf(error.cause)}`);
      }
      throw error;
    }
  }

  get series(): string {
    return this.#settings.series;
  }

  open(record: OnceRecord): OnceRecord | null {
    const decision = decide(record, this.#settings, wallOf(this.#around.candidacy.clock));
    const series = seriesIn(record, this.series);
    if (decision.do !== 'run' || this.#hasReturned(series)) return null;
    if (this.#settings.isDue?.(series) === false) return null;
    this.#previous = series.last;
    return begin(record, this.#settings, decision, this.#actor(OWN_TOKEN));
  }

  #begin(record: OnceRecord, shift: Shift, failures: number | null): Changed<Run | Begun> {
    if (shift.hasOpened(this)) {
      const { attempt, failures } = seriesIn(record, this.series).open!;
      return { record: null, result: { do: 'run', attempt, failures, previous: this.#previous } };
    }
    const { clock } = this.#around.candidacy;
    const decision = decide(record, this.#settings, wallOf(clock));
    const known = this.#answer(decision);
    if (known !== null) return { record: null, result: known };
    const series = seriesIn(record, this.#settings.series);
    if (this.#hasReturned(series)) return this.#ended(record, shift, { outcome: 'done' });
    if (decision.do === 'end') return this.#ended(record, shift, decision);
    if (decision.do !== 'run') throw new Error('a decision that is an answer was answered');
    const begun: Begun = { ...decision, failures: failures ?? decision.failures, previous: null };
    const { last } = series;
    if (this.#settings.isDue?.(series) === false) throw new NotDue();
    const next = begin(record, this.#settings, begun, this.#actor(String(shift.leadership.token)));
    return { record: next, result: { ...begun, previous: last } };
  }

  /** Has our work returned in the attempt that was begun last, by any participant? Then only its end is missing. */
  #hasReturned({ open }: Series): boolean {
    if (open === null || this.#returned === null || open.occasion !== this.#settings.occasion) return false;
    const { token, attempt } = this.#returned;
    return open.member === this.#around.seat.name && open.token === token && open.attempt === attempt;
  }

  #ended(record: OnceRecord, shift: Shift, how: Parameters<typeof end>[2]): Changed<Run> {
    this.#tokens.add(String(shift.leadership.token));
    const next = end(record, this.#settings, how, this.#actor(String(shift.leadership.token)));
    return { record: next, result: seriesIn(next, this.#settings.series).last! };
  }

  #actor(token: string): { member: string; token: string; at: string } {
    const { candidacy, seat } = this.#around;
    const at = new Date(wallOf(candidacy.clock)).toISOString();
    return { member: seat.name, token, at };
  }

  /** Ends early when the leadership ends or the call is called off. */
  async #pause({ leadership }: Shift, ms: number): Promise<void> {
    const over = deferred();
    const stop = this.#around.candidacy.clock.after(ms, () => over.resolve());
    const forget = onceAborted([leadership.signal, this.#settings.signal], () => over.resolve());
    await over.promise;
    stop();
    forget();
  }

  #outcomeOf(run: Run): OnceOutcome<T> {
    const isOurs = run.member === this.#around.seat.name && this.#tokens.has(run.token);
    const { occasion } = this.#settings;
    const outcome = isOurs ? run.outcome : (`already-${run.outcome}` as const);
    const known = { outcome, occasion, token: BigInt(run.token), by: run.member, run };
    if (!isOurs || this.#last === null) return known;
    if (run.outcome === 'done' && this.#last.ok) return { ...known, value: this.#last.value };
    return run.outcome === 'failed' && !this.#last.ok ? { ...known, error: this.#last.error } : known;
  }
}

/** Thrown by work that was cut short although its leadership lasts: no failure, but another participant may run it again. */
export class CutShort extends Error {}
