import { BadInput, type Json, show, type Why } from '../core/index.ts';
import { onceAborted } from './aborts.ts';
import { Candidacy } from './candidacy.ts';
import { type Clock, processClock } from './clock.ts';
import { deferred } from './deferred.ts';
import type { Engine } from './engine.ts';
import { CaucusError } from './errors.ts';
import { Feed } from './feed.ts';
import { frozen } from './frozen-json.ts';
import type { Leadership } from './leadership.ts';
import { type Observation, observationOf, sameObservation } from './observation.ts';
import type { Seat } from './seat.ts';
import type { Tenure } from './tenure.ts';
import { isStop, runWork, type WorkResult } from './work.ts';

export interface ElectionOptions {
  /**
   * How long the work may go on after its signal was aborted before the leadership is released all the same: 10 s unless said
   * otherwise. A leadership that ended by itself is not prolonged by it.
   */
  readonly drainMs?: number;
  /** How long a release, a transfer or a publication may take before it counts as failed: 10 s unless said otherwise. */
  readonly answerMs?: number;
  /** Virtual time, for tests. */
  readonly clock?: Clock;
}

export interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface ResignationOptions {
  /** Why, in one line for people: what the leader's work is told. */
  readonly reason?: string;
  /** The leadership that is meant: the one that lasts, as far as we know, unless said otherwise. */
  readonly token?: bigint;
}

const LONGEST_REASON = 500;

/** It is kept in stores and printed in logs. */
function checkReason(reason: string): void {
  const isFit = typeof reason === 'string' && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(reason);
  if (isFit && reason.length <= LONGEST_REASON) return;
  throw new BadInput('reason', `one line of at most ${LONGEST_REASON} characters`, show(reason));
}

/**
 * One election as a program takes part in it, whatever is behind its seat. Every wait ends: with a result, with an error, or
 * when its signal is aborted. Those who want to lead through the same object take turns.
 */
export class Election {
  readonly #seat: Seat;
  readonly #clock: Clock;
  readonly #candidacy: Candidacy;
  readonly #feed: Feed<Observation>;
  readonly #unwatch: () => void;

  constructor(name: string, engine: Engine, options: ElectionOptions = {}) {
    const { drainMs = 10_000, answerMs = 10_000, clock = processClock } = options;
    const seat = engine.seat(name);
    this.#seat = seat;
    this.#clock = clock;
    this.#candidacy = new Candidacy(seat, clock, { drainMs, answerMs });
    this.#feed = new Feed(observationOf(seat));
    this.#unwatch = seat.watch((standing) => {
      // Our own loss comes first: whoever observes it finds the signal aborted.
      this.#candidacy.onStanding(standing);
      const seen = observationOf(seat);
      if (!sameObservation(seen, this.#feed.latest)) this.#feed.set(seen);
    });
    engine.opened?.(this);
  }

  get name(): string {
    return this.#seat.election;
  }

  /** Our own name in it. */
  get self(): string {
    return this.#seat.name;
  }

  /**
   * Does the work each time we win: again after every loss, once the work has stopped. If the work returns or throws of its own
   * accord, the leadership is released and this settles with the result. Work that stops because its signal was aborted
   * (it returns, or throws the reason or an AbortError) is not a result. With the option's signal all of it is called off: the
   * work is told to stop, the leadership is released, and this rejects with the signal's reason.
   */
  async lead<T>(
    work: (leadership: Leadership) => T | PromiseLike<T>,
    { signal }: Cancellable = {},
  ): Promise<T> {
    let winning = this.#candidacy.win(signal);
    for (;;) {
      const tenure = await winning;
      const result = await this.#oneTenure(tenure, work, signal);
      const isLost = !tenure.leadership.isValid();
      const hasStopped = isLost && (result.ok || isStop(result.error, tenure.leadership.lost));
      const calledOff = [signal, this.#candidacy.closed].find((each) => each?.aborted);
      if (hasStopped && calledOff === undefined) {
        winning = this.#candidacy.win(signal); // In line before the release, which therefore does not withdraw us.
        tenure.finish();
        continue;
      }
      this.#candidacy.stepDown(tenure, this.#candidacy.loss('resigned', 'its work is done'));
      tenure.finish();
      await tenure.over.promise;
      if (hasStopped) throw calledOff!.reason;
      if (!result.ok) throw result.error;
      return result.value;
    }
  }

  /** Runs the work in one leadership until it has settled; if it must stop and does not, only as long as anybody waits. */
  async #oneTenure<T>(
    tenure: Tenure,
    work: (leadership: Leadership) => T | PromiseLike<T>,
    signal: AbortSignal | undefined,
  ): Promise<WorkResult<T>> {
    tenure.hasWork = true;
    const calledOff = deferred<unknown>();
    const forget = onceAborted([signal, this.#candidacy.closed], (reason) => {
      if (!this.#candidacy.closed.aborted) {
        this.#candidacy.stepDown(tenure, this.#candidacy.loss('resigned', 'its program told it to stop'));
      }
      calledOff.resolve(reason);
    });
    try {
      if (calledOff.isSettled) return { ok: false, error: tenure.leadership.lost };
      const running = runWork(work, tenure.leadership);
      const first = await Promise.race([running, tenure.over.promise]);
      if (typeof first === 'object') return first;
      const then = await Promise.race([running, calledOff.promise.then((reason) => ({ reason }))]);
      if ('ok' in then) return then;
      const message = 'the work goes on although its leadership was released: it did not heed its signal';
      throw new CaucusError('E_WORK_NOT_STOPPED', message, { outcome: 'indefinite', cause: then.reason });
    } finally {
      forget();
    }
  }

  /**
   * Waits until we lead. The signal calls off the wait, not the leadership. Whoever stops working must say so, with
   * `leadership.resign()` or `await using`; that also holds after a loss.
   */
  async campaign({ signal }: Cancellable = {}): Promise<Leadership> {
    return (await this.#candidacy.win(signal)).leadership;
  }

  /** What we hold at this moment; null if we may not act. */
  get leadership(): Leadership | null {
    const leadership = this.#candidacy.tenure?.leadership;
    return leadership?.isValid() ? leadership : null;
  }

  /** Stops the work of the leadership that we hold, then gives it up. We go on standing if anybody waits. */
  async resign(): Promise<void> {
    const { tenure } = this.#candidacy;
    if (tenure === null) return;
    this.#candidacy.stepDown(tenure, this.#candidacy.asked());
    await tenure.released.promise;
  }

  /**
   * Asks whoever leads, in whatever process, to stop its work and give it up. Settles once the request is left where they will find
   * it; whether they heed it shows when we observe. Rejects where the engine cannot pass it on, or nobody leads.
   */
  async askToResign({ reason = '', token }: ResignationOptions = {}): Promise<void> {
    const leader = this.leader();
    const meant = token ?? leader?.token;
    checkReason(reason);
    if (this.#seat.ask === undefined)
      throw new CaucusError('E_UNSUPPORTED', 'what is behind this election passes on no requests to resign');
    if (meant === undefined) throw new CaucusError('E_NOT_LEADER', `nobody leads ${this.name}`);
    if (meant === null) {
      const who = `${leader!.name} cannot be asked to resign`;
      throw new CaucusError('E_UNSUPPORTED', `${who}: it shows no token, as participants of Caucus do`);
    }
    await this.#seat.ask({ reason, token: meant });
  }

  /** @internal Null if nobody works here; else what has become of that: null, or a promise that settles when it has stopped. */
  get occupation(): { readonly ending: Promise<unknown> | null } | null {
    const { tenure } = this.#candidacy;
    return tenure === null ? null : { ending: tenure.isEnding ? tenure.over.promise : null };
  }

  /** @internal Stops the work, then ends the leadership in this way and not by a release. */
  async end(lost: Why, how: () => Promise<void>): Promise<void> {
    const tenure = this.#current();
    this.#candidacy.stepDown(tenure, this.#candidacy.loss(lost.cause, lost.detail), how);
    await tenure.released.promise;
  }

  /** Stops the work, then hands the leadership to this participant. Rejects with why that did not come about. */
  async transfer(to: string): Promise<void> {
    const tenure = this.#current();
    this.#candidacy.startTransfer(tenure, to);
    await tenure.released.promise;
  }

  /** Who leads, as far as we know; null if nobody does. Of ourselves it is said only while we may act. */
  leader(): { readonly name: string; readonly token: bigint | null } | null {
    const { leader, token, held } = this.#seat.standing;
    if (leader === null) return null;
    if (leader === this.#seat.name && (held === null || held.expiresAtMs <= this.#clock.now())) return null;
    return { name: leader, token };
  }

  /** How it stands, now and after every change. A slow reader gets what is newest. Ends with the signal, or when closed. */
  observe({ signal }: Cancellable = {}): AsyncIterableIterator<Observation> {
    return this.#feed.read(signal);
  }

  /** Publishes a value to all who observe, if we lead. Settles with its version once it is certain. */
  async publish(value: Json, { signal }: Cancellable = {}): Promise<number> {
    return this.#candidacy.publish(this.#current().leadership, value, signal);
  }

  /** What the leader last published, which cannot be changed here; null if nothing was. */
  get value(): Json {
    return frozen(this.#seat.standing.value);
  }

  /** How many times something was published. */
  get version(): number {
    return this.#seat.standing.version;
  }

  /** Stops the work, gives up what we hold and leaves the election. Everybody who waits here is told. */
  async close(): Promise<void> {
    try {
      await this.#candidacy.close();
    } finally {
      this.#unwatch();
      this.#feed.close();
    }
  }

  /**
   * @internal The same for an engine that is being closed. Work that runs here is waited for; whoever leads by `campaign` has stopped by
   * then, or has no time left for it.
   */
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
    if (this.#candidacy.closed.aborted) throw this.#candidacy.closed.reason;
    const leader = this.leader();
    const who = leader === null ? 'nobody leads' : `${leader.name} leads`;
    throw new CaucusError('E_NOT_LEADER', `${this.self} does not lead ${this.name}: ${who}`);
  }
}
