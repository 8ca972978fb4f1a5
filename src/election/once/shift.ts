import { BadInput, type Json } from '../../core/values.ts';
import { type OnceRecord, readRecord, seriesIn, writeRecord } from '../../once/index.ts';
import { onceAborted } from '../aborts.ts';
import type { Candidacy } from '../candidacy.ts';
import { deferred } from '../deferred.ts';
import { CaucusError } from '../errors.ts';
import type { Leadership } from '../leadership.ts';
import { becomesCurrent } from '../publication.ts';
import type { Seat, TransactedWork, Transaction } from '../seat.ts';
import type { Tenure } from '../tenure.ts';

/** How soon a publication that was refused is tried again, and how many times. */
const AGAIN_MS = 50;
const TRIES = 40;
/** How long an end that could not be recorded is tried again, at most, and how long the longest pause is. */
const LONGEST_RETRY_MS = 60_000;
const LONGEST_PAUSE_MS = 2000;

const LINGER_MS = 1;

/** What the record of an election becomes, and what the caller wants to know of it. */
export interface Changed<T> {
  /** Null: nothing is written. */
  readonly record: OnceRecord | null;
  readonly result: T;
}

/** A call that waits, and begins with the leadership itself if the store can record both at once. */
export interface Opener {
  readonly series: string;
  /** The record in which it has begun, with `OWN_TOKEN` as its token; null if that takes a leader's decision. */
  open(record: OnceRecord): OnceRecord | null;
}

/**
 * One leadership under which the works of any number of calls run, and the record of the election, which only its leader
 * changes. It stands when the first call enters, and resigns when the last one has left. Its states:
 *   standing  not elected yet          → held | over (no call waits any more)
 *   held      works run                → over (the last call has left; the leadership was lost; a publication has failed)
 *   over      works stop, calls leave  (a call that still wants to run enters another shift)
 */
export class Shift {
  /** Settles when works may begin; rejects if the election was closed. */
  readonly held: Promise<void>;
  readonly #candidacy: Candidacy;
  readonly #seat: Seat;
  readonly #standing = new AbortController();
  #tenure: Tenure | null = null;
  #record: OnceRecord | null = null;
  readonly #holders = new Set<Opener>();
  /** The calls whose beginning is to be recorded, or was recorded, with the leadership. */
  #opened = new Set<Opener>();
  #isOver = false;
  /** Works that ignore their signals. */
  readonly #left: Promise<unknown>[] = [];
  /** Changes of the record, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #waiting: {
    readonly derived: (record: OnceRecord) => { record: OnceRecord; tell: () => void };
    readonly isEnd: boolean;
    readonly reject: (error: unknown) => void;
  }[] = [];

  constructor(candidacy: Candidacy, seat: Seat) {
    this.#candidacy = candidacy;
    this.#seat = seat;
    this.held = this.#win();
    this.held.catch(() => this.#finish());
  }

  /** Can another call enter? */
  get isOpen(): boolean {
    return !this.#isOver && (this.#tenure === null || this.#tenure.leadership.isValid());
  }

  /** Once it is held. */
  get leadership(): Leadership {
    return this.#tenure!.leadership;
  }

  enter(call: Opener): void {
    this.#holders.add(call);
  }

  leave(call: Opener): void {
    this.#holders.delete(call);
    if (this.#holders.size > 0) return;
    if (this.#tenure === null) {
      this.#isOver = true;
      return this.#standing.abort();
    }
    // A program that does one occasion after the other enters again at once, and needs no other leadership for that.
    this.#candidacy.clock.after(LINGER_MS, () => {
      if (this.#holders.size === 0) this.#finish();
    });
  }

  /** Was the beginning of this call recorded with the leadership? It is told once: a later attempt begins anew. */
  hasOpened(call: Opener): boolean {
    return this.#opened.delete(call);
  }

  /**
   * Work of this shift ignores its signal. The leadership is given up, and no other one is granted beside that work
   * unless with a greater token.
   */
  abandon(work: Promise<unknown>): void {
    this.#left.push(work);
    this.fail('its work ignored its signal');
  }

  /** No call can begin under this leadership any more: what the store holds is not known. */
  fail(detail: string): void {
    this.#isOver = true;
    if (this.#tenure !== null)
      this.#candidacy.stepDown(this.#tenure, this.#candidacy.loss('resigned', detail));
  }

  /**
   * Changes the record. Rejects if that failed; then the shift is over. `isEnd`: work was done for it, so it is tried
   * again for as long as the lease lasts.
   */
  change<T>(derive: (record: OnceRecord) => Changed<T>, isEnd = false): Promise<T> {
    const changed = deferred<T>();
    const derived = (record: OnceRecord): { record: OnceRecord; tell: () => void } => {
      const { record: next, result } = derive(record);
      return { record: next ?? record, tell: () => changed.resolve(result) };
    };
    this.#waiting.push({ derived, isEnd, reject: (reason) => changed.reject(reason) });
    this.#inTurn(() => this.#changeAll()).catch(() => {}); // Each waiting change is told.
    return changed.promise;
  }

  /** Changes that wait are published together: a thousand schedules may fire at one moment. */
  async #changeAll(): Promise<void> {
    const changes = this.#waiting.splice(0);
    if (changes.length === 0) return;
    let record = this.#record!;
    const tells: (() => void)[] = [];
    const rejects: ((error: unknown) => void)[] = [];
    for (const { derived, reject } of changes) {
      try {
        const changed = derived(record);
        record = changed.record;
        tells.push(changed.tell);
        rejects.push(reject);
      } catch (error) {
        reject(error); // The others are not concerned.
      }
    }
    try {
      const isEnd = changes.some((each) => each.isEnd);
      if (record !== this.#record) await this.#publish(writeRecord(record), isEnd);
      this.#record = record;
      for (const tell of tells) tell();
    } catch (error) {
      for (const reject of rejects) reject(error);
    }
  }

  /** Does the work in a transaction that also changes the record. */
  async transact<T>(
    { run, ...rest }: Omit<TransactedWork, 'value'>,
    derive: (record: OnceRecord) => Changed<T>,
  ): Promise<T> {
    const turn = deferred();
    let changed: Changed<T> | null = null;
    const value = (): Promise<Json> => {
      const mine = deferred<Json>();
      // No other change may come between the value and its commit.
      void this.#inTurn(async () => {
        this.leadership.assert();
        changed = derive(this.#record!);
        mine.resolve(writeRecord(changed.record!));
        await turn.promise;
      }).catch((error: unknown) => mine.reject(error));
      return mine.promise;
    };
    let failure: unknown = null;
    const guarded = async (transaction: Transaction): Promise<void> => {
      try {
        await run(transaction);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      await this.#seat.transact!({ ...rest, run: guarded, value });
      this.#record = changed!.record;
      return changed!.result;
    } catch (error) {
      const isKnown = !(error instanceof CaucusError) || error.outcome === 'definite';
      if (failure !== null || isKnown || !this.leadership.isValid()) throw error;
      // The work has not failed. Whether it was committed is read under the next leadership.
      this.#giveUp('its transaction failed');
      throw new Unrecorded(error, false);
    } finally {
      turn.resolve();
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #publish(value: Json, isEnd: boolean): Promise<void> {
    let untilMs: number | null = null;
    for (let tries = 1; ; tries++) {
      try {
        await this.#candidacy.publish(this.leadership, value, undefined, true);
        // An earlier request may still arrive. Under this token it would replace what is recorded next, so nothing is.
        if (untilMs !== null) this.#giveUp('the store did not answer when an occasion was recorded');
        return;
      } catch (error) {
        // Members refuse while another change of their register is under way.
        const isBusy = error instanceof CaucusError && error.code === 'E_REFUSED' && tries < TRIES;
        const isInDoubt = error instanceof CaucusError && error.outcome === 'indefinite';
        if (isEnd && isInDoubt) untilMs ??= this.#giveUpAtMs();
        const isRetried = untilMs === null ? isBusy : this.#candidacy.clock.now() < untilMs;
        if (!isRetried || !this.leadership.isValid()) {
          const isRefused = this.leadership.isValid() && !isLate(error);
          // A late publication of this leadership must not replace a later one, so there is none.
          this.#giveUp('it could not record an occasion');
          throw new Unrecorded(error, isRefused);
        }
      }
      const pauseMs = untilMs === null ? AGAIN_MS : Math.min(AGAIN_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      await this.#pause(pauseMs);
    }
  }

  /** Work whose end is not recorded need not be repeated if this program is elected next. */
  #giveUp(detail: string): void {
    this.#tenure!.mayReturn = true;
    this.fail(detail);
  }

  /** A store that renews the lease beyond this, and does not take the record, refuses it. */
  #giveUpAtMs(): number {
    return this.#candidacy.clock.now() + Math.min(this.leadership.expiresInMs, LONGEST_RETRY_MS);
  }

  async #pause(ms: number): Promise<void> {
    const over = deferred();
    const stop = this.#candidacy.clock.after(ms, () => over.resolve());
    const forget = onceAborted([this.leadership.signal], () => over.resolve());
    await over.promise;
    stop();
    forget();
  }

  async #win(): Promise<void> {
    const tenure = await this.#candidacy.win(this.#standing.signal, (value) => this.#open(value));
    tenure.hasWork = true;
    this.#tenure = tenure;
    if (this.#holders.size === 0) return this.#finish();
    await becomesCurrent(this.#seat, tenure.leadership.signal);
    if (!tenure.leadership.isValid()) return;
    try {
      this.#record = recordOf(this.#seat);
    } catch (error) {
      this.fail('the value that is published there is no record of occasions');
      throw error;
    }
    const token = String(tenure.leadership.token);
    for (const call of this.#opened)
      if (seriesIn(this.#record, call.series).open?.token !== token) this.#opened.delete(call);
  }

  /** What is recorded with the leadership: that the calls that wait begin. */
  #open(value: Json): Json | null {
    this.#opened = new Set();
    try {
      let record = recordIn(value);
      for (const call of this.#holders) {
        const next = call.open(record);
        if (next === null) continue;
        record = next;
        this.#opened.add(call);
      }
      return this.#opened.size === 0 ? null : writeRecord(record);
    } catch {
      return null; // It is told once it is held.
    }
  }

  #finish(): void {
    this.#isOver = true;
    const tenure = this.#tenure;
    if (tenure === null) return;
    tenure.mayReturn = this.#left.length === 0;
    this.#candidacy.stepDown(tenure, this.#candidacy.loss('resigned', 'its work is done'));
    if (this.#left.length === 0) return tenure.finish();
    tenure.confirm(); // It is released, and is granted no more if that fails.
    void Promise.allSettled(this.#left).then(() => tenure.finish());
  }
}

/** It is not known whether a change of the record was stored. */
export class Unrecorded extends Error {
  /** The store has answered, and no retry may help: for example, the record is too large for it. */
  readonly isRefused: boolean;

  constructor(cause: unknown, isRefused: boolean) {
    super('an occasion could not be recorded', { cause });
    this.isRefused = isRefused;
  }
}

function isLate(error: unknown): boolean {
  return error instanceof CaucusError && error.code === 'E_TIMEOUT';
}

/** Each value is read once, however many calls look at it. */
const records = new WeakMap<object, OnceRecord>();

/** Throws for a value that is no record of occasions. */
export function recordOf({ election, standing }: Seat): OnceRecord {
  try {
    return recordIn(standing.value);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const why = `its ${error.message.replace(/^the /, '')}`;
    const message = `the election ${election} cannot record occasions: ${why}; use an election that publishes nothing else`;
    throw new CaucusError('E_REFUSED', message);
  }
}

function recordIn(value: Json): OnceRecord {
  const key = typeof value === 'object' ? value : null;
  const known = key === null ? undefined : records.get(key);
  if (known !== undefined) return known;
  const record = readRecord(value, 'the published value');
  if (key !== null) records.set(key, record);
  return record;
}
