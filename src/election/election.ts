import type { Json, Why } from '../core/values.ts';
import type { Cancellable } from './aborts.ts';
import { Candidacy } from './candidacy.ts';
import type { Clock } from './clock.ts';
import {
  checkReason,
  type ElectionOptions,
  type ResignationOptions,
  readOptions,
} from './election-options.ts';
import type { Engine } from './engine.ts';
import { CaucusError } from './errors.ts';
import { Feed } from './feed.ts';
import { frozen } from './frozen-json.ts';
import { Lead, type LeadOptions, type Work } from './lead.ts';
import type { Leadership } from './leadership.ts';
import { warnOfProcess } from './log-entry.ts';
import { type Observation, observationOf, sameObservation } from './observation.ts';
import { Occasions, type Runs } from './once/occasions.ts';
import type { OnceOutcome } from './once/once.ts';
import type { InTransaction, OnceOptions, OnceWork, TransactionContext } from './once/options.ts';
import { Schedule, type ScheduleOptions } from './once/schedule.ts';
import { becomesCurrent } from './publication.ts';
import type { Seat } from './seat.ts';
import type { Tenure } from './tenure.ts';
import { terms } from './terms.ts';

/**
 * A program's part in one election, on any seat. Every wait ends: with a result, with an error, or when its signal is
 * aborted. Several calls of `lead` or `campaign` on one object take turns.
 */
export class Election {
  readonly #seat: Seat;
  readonly #clock: Clock;
  readonly #candidacy: Candidacy;
  /** Made when it is first read: in most elections it never is. */
  #feed: Feed<Observation> | null = null;
  readonly #unwatch: () => void;
  #isClosed = false;
  #lazyOccasions: Occasions | null = null;

  constructor(name: string, engine: Engine, options: ElectionOptions = {}) {
    const { patience, clock } = readOptions(options);
    const seat = engine.seat(name);
    this.#seat = seat;
    this.#clock = clock;
    this.#candidacy = new Candidacy(seat, clock, patience, engine.log ?? warnOfProcess);
    this.#unwatch = seat.watch((standing) => {
      // Our own loss comes first: an observer finds the signal already aborted.
      this.#candidacy.onStanding(standing);
      const feed = this.#feed;
      const seen = feed === null ? null : observationOf(seat);
      if (seen !== null && !sameObservation(seen, feed!.latest)) feed!.set(seen);
    });
    engine.opened?.(this);
  }

  /** Made when they are first used: most elections have none. */
  get #occasions(): Occasions {
    this.#lazyOccasions ??= Occasions.of(this.#candidacy, this.#seat, (problem) =>
      this.#candidacy.tell(problem),
    );
    return this.#lazyOccasions;
  }

  get name(): string {
    return this.#seat.election;
  }

  /** @internal */
  get clock(): Clock {
    return this.#clock;
  }

  /** @internal */
  get occasions(): Occasions {
    return this.#occasions;
  }

  /** @internal Has the store answered yet? */
  get isKnown(): boolean {
    return this.#seat.standing.isKnown !== false;
  }

  /** @internal Is the value the last one that was published, whether or not we lead? Members know it only if they lead. */
  get isCurrent(): boolean {
    const { isCurrent = true } = this.#seat.standing;
    return this.isKnown && isCurrent === true;
  }

  /** @internal Waits until the store has answered. False: the signal was aborted before, or the election closed. */
  async becomesKnown(signal: AbortSignal): Promise<boolean> {
    for await (const { isKnown } of this.observe({ signal })) if (isKnown) return true;
    return false;
  }

  /** Our own name in this election. */
  get self(): string {
    return this.#seat.name;
  }

  /**
   * Runs the work each time we win; after a loss it campaigns again, once the work has stopped. If the work returns
   * or throws while it leads, the leadership is released and this promise settles with that result. Work that stops
   * because its signal was aborted (it returns, or throws the reason or an AbortError) gives no result. Aborting
   * `signal` ends everything: the work is told to stop, the leadership is released, and this promise resolves with
   * undefined. `health` makes a leader resign that cannot do its work, `prepare` runs while we wait to lead.
   */
  lead<T, P = unknown>(
    work: Work<T, P>,
    options?: LeadOptions<P> & { readonly signal?: undefined },
  ): Promise<T>;
  lead<T, P = unknown>(work: Work<T, P>, options: LeadOptions<P>): Promise<T | undefined>;
  lead<T, P = unknown>(work: Work<T, P>, options: LeadOptions<P> = {}): Promise<T | undefined> {
    try {
      return new Lead(this.#candidacy, work, options).run();
    } catch (error) {
      return Promise.reject(error); // Bad options. A promise rejects, and never throws.
    }
  }

  /**
   * Waits until we lead. `signal` cancels the wait, not the leadership. A caller that stops working must say so, with
   * `leadership.resign()` or `await using`, also after a loss.
   */
  async campaign({ signal }: Cancellable = {}): Promise<Leadership> {
    return (await this.#candidacy.win(signal)).leadership;
  }

  /**
   * Does the work once for this occasion, across all participants and over time: a number, a day, a date and time, each
   * later than the last one of this election. Resolves when the end of the occasion is recorded, whichever participant
   * recorded it. At most one end is recorded for an occasion. The work may have begun more than once: if its process
   * dies or loses the leadership in the middle, another participant runs it again, with a greater token.
   */
  async once<T>(
    occasion: string | number | Date,
    work: OnceWork<T, TransactionContext>,
    options: OnceOptions & InTransaction,
  ): Promise<OnceOutcome<T>>;
  async once<T>(
    occasion: string | number | Date,
    work: OnceWork<T>,
    options?: OnceOptions,
  ): Promise<OnceOutcome<T>>;
  async once<T>(
    occasion: string | number | Date,
    work: OnceWork<T, TransactionContext>,
    options: OnceOptions = {},
  ): Promise<OnceOutcome<T>> {
    return this.#occasions.once(occasion, work, options);
  }

  /**
   * Does the work once at each fire time of a cron line ("0 3 * * *"), on one of all participants that have this
   * schedule: `once`, with the fire time as the occasion. Settles when `signal` is aborted and the work that runs has
   * ended, or had `drainMs` (10 s) to do so.
   */
  async schedule(
    line: string,
    work: OnceWork<unknown, TransactionContext>,
    options: ScheduleOptions & InTransaction,
  ): Promise<void>;
  async schedule(line: string, work: OnceWork<unknown>, options?: ScheduleOptions): Promise<void>;
  async schedule(
    line: string,
    work: OnceWork<unknown, TransactionContext>,
    options: ScheduleOptions = {},
  ): Promise<void> {
    const tell = (problem: string): void => this.#candidacy.tell(problem);
    const around = { occasions: this.#occasions, clock: this.#clock, tell };
    await (await Schedule.open(around, line, options)).run(work);
  }

  /** What `once` and `schedule` have recorded last, as far as we know. Throws if this election publishes other values. */
  get runs(): Runs {
    return this.#occasions.runs;
  }

  /**
   * Each leadership that we win, one after the other, until `signal` is aborted or the election is closed:
   *
   *     for await (const { token, ended } of election.terms({ signal })) { start(token); await ended; await stop(); }
   *
   * The end of the loop's body says that the work has stopped: a leadership that is still held is released.
   */
  terms(options: Cancellable = {}): AsyncGenerator<Leadership, void, undefined> {
    return terms(this.#candidacy, options);
  }

  /** The leadership that we hold now; null if we may not act. */
  get leadership(): Leadership | null {
    const leadership = this.#candidacy.tenure?.leadership;
    return leadership?.isValid() ? leadership : null;
  }

  /** Stops the work of the leadership that we hold, then resigns. We stay a candidate if other calls wait to lead. */
  async resign(): Promise<void> {
    const { tenure } = this.#candidacy;
    if (tenure === null) return;
    this.#candidacy.stepDown(tenure, this.#candidacy.asked());
    await tenure.released.promise;
  }

  /**
   * Requests the leader, in any process, to stop its work and resign. Settles once the request is stored where the
   * leader will read it; `observe` shows whether it resigned. Rejects if the engine cannot pass on requests, or there
   * is no leader.
   */
  async askToResign({ reason = '', token }: ResignationOptions = {}): Promise<void> {
    const leader = this.leader();
    const meant = token ?? leader?.token;
    checkReason(reason);
    if (this.#seat.ask === undefined)
      throw new CaucusError('E_UNSUPPORTED', 'the engine of this election cannot pass on requests to resign');
    if (meant === undefined) throw new CaucusError('E_NOT_LEADER', `${this.name} has no leader`);
    if (meant === null) {
      const who = `${leader!.name} cannot be asked to resign`;
      throw new CaucusError('E_UNSUPPORTED', `${who}: it has no token, so it is not a participant of Caucus`);
    }
    await this.#seat.ask({ reason, token: meant });
  }

  /**
   * @internal Null if no leadership is held here; else `ending`: null, or a promise that settles when its work has
   * stopped.
   */
  get occupation(): { readonly ending: Promise<unknown> | null } | null {
    const { tenure } = this.#candidacy;
    return tenure === null ? null : { ending: tenure.isEnding ? tenure.over.promise : null };
  }

  /**
   * @internal Stops the work, then ends the leadership by calling `how` in place of a release.
   */
  async end(lost: Why, how: () => Promise<void>): Promise<void> {
    const tenure = this.#current();
    this.#candidacy.stepDown(tenure, this.#candidacy.loss(lost.cause, lost.detail), how);
    await tenure.released.promise;
  }

  /**
   * Stops the work, then transfers the leadership to this participant. Rejects with the reason if the transfer fails.
   */
  async transfer(to: string): Promise<void> {
    const tenure = this.#current();
    this.#candidacy.startTransfer(tenure, to);
    await tenure.released.promise;
  }

  /** The leader, as far as we know; null if there is none. We name ourselves only while we may act. */
  leader(): { readonly name: string; readonly token: bigint | null } | null {
    const { leader, token, held } = this.#seat.standing;
    if (leader === null) return null;
    if (leader === this.#seat.name && (held === null || held.expiresAtMs <= this.#clock.now())) return null;
    return { name: leader, token };
  }

  /**
   * The state of the election now and after every change. A slow reader gets only the newest. Ends when the signal is
   * aborted or the election is closed.
   */
  observe({ signal }: Cancellable = {}): AsyncIterableIterator<Observation> {
    this.#feed ??= new Feed(observationOf(this.#seat));
    if (this.#isClosed) this.#feed.close();
    return this.#feed.read(signal);
  }

  /** Publishes a value to all observers, if we lead. Settles with its version once it is stored. */
  async publish(value: Json, { signal }: Cancellable = {}): Promise<number> {
    return this.#candidacy.publish(this.#current().leadership, value, signal);
  }

  /**
   * @internal The value that was published last, once this leader knows that no later one can have been. Rejects if the
   * protocol never knows.
   */
  async current({ signal }: Leadership): Promise<Json> {
    if (this.#seat.standing.isCurrent === null) {
      const message = `the protocol of the election ${this.name} does not keep what is published`;
      throw new CaucusError('E_UNSUPPORTED', message);
    }
    await becomesCurrent(this.#seat, signal);
    signal.throwIfAborted();
    return this.value;
  }

  /** @internal Publishes what a partition records. Other values are refused there. */
  async record(leadership: Leadership, value: Json): Promise<number> {
    return this.#candidacy.publish(leadership, value, undefined, true);
  }

  /** The value that a leader published last (frozen); null if there is none. */
  get value(): Json {
    return frozen(this.#seat.standing.value);
  }

  /** How many values were published. */
  get version(): number {
    return this.#seat.standing.version;
  }

  /** Stops the work, releases the leadership and leaves the election. Waiting calls reject with `E_CLOSED`. */
  async close(): Promise<void> {
    try {
      await this.#candidacy.close();
    } finally {
      this.#unwatch();
      this.#isClosed = true;
      this.#feed?.close();
    }
  }

  /** @internal `close` for an engine that is being closed: it waits for work of `lead`, not for callers of `campaign`. */
  async leave(): Promise<void> {
    const { tenure } = this.#candidacy;
    const closed = this.close();
    if (tenure?.hasWork === false) tenure.finish();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #current(): Tenure {
    const { tenure } = this.#candidacy;
    if (tenure?.leadership.isValid()) return tenure;
    this.#candidacy.closed.throwIfAborted();
    const who = this.leader()?.name;
    const leads = who === undefined ? 'there is no leader' : `${who} leads`;
    throw new CaucusError('E_NOT_LEADER', `${this.self} does not lead ${this.name}: ${leads}`);
  }
}
