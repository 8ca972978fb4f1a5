/**
 * Work that is done once for an occasion of a shard, by its owner.
 *
 * It differs from `once` of an election in who may work: the owner of the shard, whichever replica leads the election in
 * which occasions are recorded. That one is led only while something is recorded, so that the owners of all shards can
 * share it. An owner that was paused, and is late, records nothing once the next owner has begun (src/once/owned.ts).
 */
import { BadInput, show } from '../../core/values.ts';
import {
  type Actor,
  beginOwned,
  end,
  endedWith,
  endOwned,
  type OnceRecord,
  type Run,
  seriesIn,
  settled,
} from '../../once/index.ts';
import { onceAborted } from '../aborts.ts';
import { wallOf } from '../clock.ts';
import { deferred } from '../deferred.ts';
import { CaucusError } from '../errors.ts';
import { attempt, type Begun } from '../once/attempt.ts';
import type { Occasions } from '../once/occasions.ts';
import { CutShort, type OnceOutcome } from '../once/once.ts';
import { NotDue, type OnceSettings, type OnceWork, type TransactionContext } from '../once/options.ts';
import { type Changed, type Opener, Unrecorded } from '../once/shift.ts';
import { problemOf, type Result } from '../work.ts';
import type { OwnedShard } from './owned-shard.ts';

const LONGEST_BACK_OFF_MS = 60_000;
/** How soon a record that could not be written is tried again, and after how many times in a row the store refuses it. */
const AGAIN_MS = 200;
const MOST_UNRECORDED = 5;

export interface ShardOnceAround {
  readonly owned: OwnedShard;
  /** Those of the election in which the occasions of the shard are recorded. */
  readonly records: Occasions;
  /** Our own name. */
  readonly self: string;
  /** Work that ignored its signal: none begins beside it. */
  left: Promise<unknown> | null;
  tell(message: string): void;
}

interface Stopping {
  readonly signal: AbortSignal;
  readonly forget: () => void;
}

/** One call: waits until the occasion is recorded, or does the work itself. It rejects when the shard is lost. */
export class ShardOnce implements Opener {
  readonly #around: ShardOnceAround;
  readonly #settings: OnceSettings;
  readonly #work: OnceWork<unknown, TransactionContext>;
  readonly #token: string;
  #unrecorded = 0;
  #last: Result<unknown> | null = null;

  constructor(around: ShardOnceAround, settings: OnceSettings, work: OnceWork<unknown, TransactionContext>) {
    refuseTransaction(settings);
    this.#around = around;
    this.#settings = settings;
    this.#work = work;
    this.#token = String(around.owned.token);
  }

  get series(): string {
    return this.#settings.series;
  }

  /** Its beginning is recorded once its election is led. */
  open(): null {
    return null;
  }

  async run(): Promise<OnceOutcome> {
    const { owned, records } = this.#around;
    let failures: number | null = null;
    for (;;) {
      const known = this.#answer(settled(records.record, this.#settings));
      if (known !== null) return this.#outcomeOf(known);
      await this.#unlessStopped(this.#around.left);
      const begun = await this.#change((record) => this.#begin(record, failures));
      if (begun === null) continue;
      if ('outcome' in begun) return this.#outcomeOf(begun);
      owned.assert(); // A process that was stopped meanwhile must not begin what the next owner has begun.
      const result = await this.#attempt(begun);
      this.#last = result;
      owned.assert();
      if (!result.ok) {
        failures = begun.failures + 1;
        if (failures <= this.#settings.retries) {
          await this.#backOff(begun.attempt, failures, problemOf(result.error));
          continue;
        }
      }
      const how = result.ok
        ? ({ outcome: 'done' } as const)
        : ({ outcome: 'failed', error: problemOf(result.error) } as const);
      const run = await this.#recordEnd(begun, how);
      if (run !== null) return this.#outcomeOf(run);
    }
  }

  async #attempt(begun: Begun): Promise<Result<unknown>> {
    const { owned, records } = this.#around;
    const abandon = (work: Promise<unknown>): void => {
      this.#around.left = work;
    };
    const around = {
      candidacy: records.candidacy,
      settings: this.#settings,
      shift: { leadership: owned, abandon },
    };
    const result = await attempt(around, this.#work, begun);
    if (!result.ok && result.error instanceof CutShort) throw result.error;
    return result;
  }

  /** Work was done for it, so it is tried again until it is recorded. Null: the record says something else. */
  async #recordEnd({ attempt: number }: Begun, how: Parameters<typeof end>[2]): Promise<Run | null> {
    for (;;) {
      const run = await this.#change((record): Changed<Run | 'other'> => {
        const next = endOwned(record, this.#settings, number, how, this.#actor);
        if (next !== null) return { record: next, result: seriesIn(next, this.series).last! };
        // An earlier request whose answer was lost may have recorded it.
        return { record: null, result: endedWith(record, this.#settings, this.#token) ?? 'other' };
      }, true);
      if (run !== null) return run === 'other' ? null : run;
    }
  }

  /** Null: it is not known what became of it. */
  async #change<T>(derive: (record: OnceRecord) => Changed<T>, isEnd = false): Promise<T | null> {
    const { records } = this.#around;
    const { signal, forget } = isEnd ? this.#endSignal() : this.#beginSignal();
    try {
      const changed = await records.change(this, derive, signal, isEnd);
      this.#unrecorded = 0;
      return changed;
    } catch (error) {
      if (!(error instanceof Unrecorded)) throw error;
      if (error.isRefused) this.#unrecorded += 1;
      if (this.#unrecorded === MOST_UNRECORDED) throw error.cause;
      await this.#pause(AGAIN_MS);
      return null;
    } finally {
      forget();
    }
  }

  #beginSignal(): Stopping {
    const stop = new AbortController();
    const signals = [this.#around.owned.signal, this.#settings.signal];
    return { signal: stop.signal, forget: onceAborted(signals, (reason) => stop.abort(reason)) };
  }

  /** A shard that is asked back is released when its works have ended, so there is still time to record the end. */
  #endSignal(): Stopping {
    const { clock, patience } = this.#around.records.candidacy;
    const stop = new AbortController();
    let cancel = (): void => {};
    const forget = onceAborted([this.#around.owned.signal], (reason) => {
      cancel = clock.after(patience.drainMs / 2, () => stop.abort(reason));
    });
    return {
      signal: stop.signal,
      forget: () => {
        forget();
        cancel();
      },
    };
  }

  #begin(record: OnceRecord, failures: number | null): Changed<Run | Begun> {
    const { owned, records } = this.#around;
    owned.assert();
    const nowMs = wallOf(records.candidacy.clock);
    const decision = beginOwned(record, this.#settings, this.#actor, { nowMs, failures });
    const series = seriesIn(record, this.series);
    switch (decision.do) {
      case 'answer':
      case 'refuse':
        return { record: null, result: this.#answer(decision)! };
      case 'yield': {
        const message = `a greater token than ${this.#token} is recorded for shard ${owned.shard}: was the table of shards restored from a backup?`;
        throw new CaucusError('E_REFUSED', message);
      }
      case 'end': {
        const next = end(record, this.#settings, decision, this.#actor);
        return { record: next, result: seriesIn(next, this.series).last! };
      }
      case 'begin': {
        if (this.#settings.isDue?.(series) === false) throw new NotDue();
        const { attempt: number, failures: failed } = decision;
        const result: Begun = { do: 'run', attempt: number, failures: failed, previous: series.last };
        return { record: decision.record, result };
      }
    }
  }

  get #actor(): Actor {
    const { records, self } = this.#around;
    return { member: self, token: this.#token, at: new Date(wallOf(records.candidacy.clock)).toISOString() };
  }

  #answer(decision: ReturnType<typeof settled>): Run | null {
    if (decision?.do === 'refuse')
      throw new BadInput('occasion', decision.expected, show(this.#settings.occasion));
    return decision?.do === 'answer' ? decision.run : null;
  }

  #outcomeOf(run: Run): OnceOutcome {
    const { occasion } = this.#settings;
    const isOurs = run.member === this.#around.self && run.token === this.#token;
    const outcome = isOurs ? run.outcome : (`already-${run.outcome}` as const);
    const known = { outcome, occasion, token: BigInt(run.token), by: run.member, run };
    if (!isOurs || this.#last === null) return known;
    return this.#last.ok ? { ...known, value: this.#last.value } : { ...known, error: this.#last.error };
  }

  async #backOff(attempt: number, failures: number, error: string): Promise<void> {
    const delayMs = Math.min(this.#settings.backOffMs * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
    this.#around.tell(`attempt ${attempt} failed, and is repeated in ${delayMs} ms: ${error}`);
    await this.#pause(delayMs);
  }

  async #pause(ms: number): Promise<void> {
    const over = deferred();
    const stop = this.#around.records.candidacy.clock.after(ms, () => over.resolve());
    try {
      await this.#unlessStopped(over.promise);
    } finally {
      stop();
    }
  }

  /** Waits, and throws if the shard is lost or the call is called off. */
  async #unlessStopped(what: Promise<unknown> | null): Promise<void> {
    const stopped = deferred<never>();
    const forget = onceAborted([this.#around.owned.signal, this.#settings.signal], (reason) =>
      stopped.reject(reason),
    );
    try {
      if (what !== null) await Promise.race([what, stopped.promise]);
    } finally {
      forget();
    }
  }
}

/** The record is written under another leadership than that of the work. */
export function refuseTransaction({ idleMs }: OnceSettings): void {
  if (idleMs !== null)
    throw new CaucusError('E_UNSUPPORTED', 'transaction: occasions of shards are recorded without one');
}
