import type { Cause, Json, Why } from '../core/index.ts';
import { Ending, onceAborted } from './aborts.ts';
import { type Clock, settlesWithin } from './clock.ts';
import type { Patience } from './election-options.ts';
import type { Engine } from './engine.ts';
import { CaucusError, LeadershipLost } from './errors.ts';
import { frozenCopy } from './frozen-json.ts';
import { type Grantor, Leadership } from './leadership.ts';
import { lossOf } from './loss.ts';
import { refuseMixed, unlessEnded } from './publication.ts';
import type { Held, Opening, Seat, Standing } from './seat.ts';
import { Tenure } from './tenure.ts';

/** How soon to check again a held leadership whose lease has expired by our clock. */
const LOOK_AGAIN_MS = 100;
/** While work stops within this time after a loss, we stay a candidate for the next leadership. */
const PROMPT_MS = 100;

/** A caller that waits to lead. */
export interface Taker {
  readonly opening?: Opening | undefined;
  /** Refused if it is aborted already. The caller listens to it, and leaves. */
  readonly signal?: AbortSignal | undefined;
  give(tenure: Tenure): void;
  refuse(error: unknown): void;
}

const NONE: readonly Taker[] = [];
const DONE: Why = { cause: 'resigned', detail: 'its work is done' };

/**
 * Grants the leadership of a seat to the callers that wait for it, one at a time, and takes it back. Four states:
 *   away      no caller waits, we are no candidate    → standing (a caller waits)
 *   standing  a caller waits                          → granted (the seat holds something) | leaving (no caller waits any more)
 *   granted   a tenure lasts, or is being ended       → standing | leaving (also while the work of one that was lost goes on)
 *   leaving   the seat withdraws                      → away | standing
 */
export class Candidacy implements Grantor {
  readonly election: string;
  readonly clock: Clock;
  readonly #seat: Seat;
  readonly patience: Patience;
  /** Aborted when the election is closed. */
  readonly closed: Ending = new Ending();
  /** A list that is replaced, never changed: it is mostly empty, or has one. */
  #takers: readonly Taker[] = NONE;
  #tenure: Tenure | null = null;
  #isStanding = false;
  #leaving: Promise<void> | null = null;
  /** A leadership that was given up, although the seat may still show it. */
  #spent: Held | null = null;
  #stopLookingAgain: (() => void) | null = null;
  #closing: Promise<void> | null = null;
  readonly #log: NonNullable<Engine['log']>;

  constructor(seat: Seat, clock: Clock, patience: Patience, log: NonNullable<Engine['log']>) {
    this.election = seat.election;
    this.clock = clock;
    this.#seat = seat;
    this.patience = patience;
    this.#log = log;
  }

  /** For people. */
  tell(problem: string): void {
    this.#log({ level: 'warning', message: `${this.election}: ${problem}` });
  }

  get tenure(): Tenure | null {
    return this.#tenure;
  }

  onStanding(standing: Standing): void {
    const tenure = this.#tenure;
    if (tenure !== null && !tenure.isEnding) {
      const { held, asked } = standing;
      if (!tenure.leadership.rests(held)) this.stepDown(tenure, lossOf(this.election, standing));
      else if (typeof asked === 'string') this.stepDown(tenure, this.asked(asked));
    }
    if (tenure?.isSlow) this.#makeWay(tenure);
    this.#settle();
  }

  /** Queues for the next leadership. The caller is in the queue before this returns. */
  async win(signal: AbortSignal | undefined, opening?: Opening): Promise<Tenure> {
    for (;;) {
      const tenure = await this.#take(signal, opening);
      if (tenure.leadership.isValid()) return tenure;
      tenure.finish(); // Lost before its taker could begin.
    }
  }

  /** Queues for the next leadership. */
  enter(taker: Taker): void {
    if (this.closed.aborted) return taker.refuse(this.closed.reason);
    if (taker.signal?.aborted) return taker.refuse(taker.signal.reason);
    this.#takers = this.#takers.concat(taker); // No longer than it needs to be.
    this.#settle();
  }

  leave(taker: Taker): void {
    this.#takers = this.#takers.filter((each) => each !== taker);
    this.#settle();
  }

  #take(signal: AbortSignal | undefined, opening: Opening | undefined): Promise<Tenure> {
    return new Promise((resolve, reject) => {
      const forget = onceAborted([signal?.aborted ? undefined : signal], (reason) => {
        reject(reason);
        this.leave(taker);
      });
      const taker: Taker = {
        opening,
        signal,
        give: (tenure) => {
          forget();
          resolve(tenure);
        },
        refuse: (error) => {
          forget();
          reject(error);
        },
      };
      this.enter(taker);
    });
  }

  /** Stands or withdraws, depending on whether a caller waits. Safe to call at any time. */
  #settle(): void {
    this.#stopLookingAgain?.();
    this.#stopLookingAgain = null;
    if (this.#tenure !== null || this.#leaving !== null || this.closed.aborted) return;
    if (this.#takers.length === 0) {
      if (this.#isStanding) this.#leave('this program no longer wants to lead');
      return;
    }
    if (!this.#isStanding) {
      this.#isStanding = true;
      try {
        // It may report a leadership before it returns.
        this.#seat.stand((value) => this.#takers[0]?.opening?.(value) ?? null);
      } catch (error) {
        this.#isStanding = false;
        this.#refuseAll(error);
        return;
      }
      if (this.#tenure !== null || this.#leaving !== null) return;
    }
    const { held } = this.#seat.standing;
    if (held === null) return;
    if (held !== this.#spent && held.expiresAtMs > this.clock.now()) return this.#grant(held);
    // This leadership cannot be granted, but while the seat holds it, no new one can start. Without a retry this
    // participant would silently drop out of the election.
    this.#stopLookingAgain = this.clock.after(LOOK_AGAIN_MS, () => this.#insist(held));
  }

  #refuseAll(error: unknown): void {
    const takers = this.#takers;
    this.#takers = NONE;
    for (const taker of takers) taker.refuse(error);
  }

  /** Resigns a leadership that cannot be granted, until the seat no longer holds it. */
  #insist(held: Held): void {
    if (this.#tenure !== null || this.#leaving !== null || this.#seat.standing.held !== held) return;
    this.#spent = held;
    const why = this.loss('resigned', 'it had ended before');
    this.#leaving = this.#within(() => this.#seat.resign(why), 'the release')
      .catch(() => {})
      .finally(() => {
        this.#leaving = null;
        this.#settle();
      });
  }

  #grant(held: Held): void {
    const tenure = new Tenure(new Leadership(held, this));
    this.#tenure = tenure;
    tenure.leadership.begin();
    const [first, ...others] = this.#takers;
    this.#takers = others.length === 0 ? NONE : others;
    first?.give(tenure);
  }

  /**
   * While old work runs, no new leadership can be granted here. Holding one would only block the other participants.
   */
  #makeWay({ leadership }: Tenure): void {
    if (!this.#isStanding || this.#leaving !== null || leadership.rests(this.#seat.standing.held)) return;
    this.#leave('its earlier work has not stopped yet');
  }

  #leave(detail: string): void {
    this.#isStanding = false;
    this.#spent = this.#seat.standing.held;
    const why = this.loss('resigned', detail);
    this.#leaving = this.#within(() => this.#seat.withdraw(why), 'the withdrawal')
      .catch(() => {}) // A lease that could not be released expires by itself, and no caller is left to be told.
      .finally(() => {
        this.#leaving = null;
        this.#settle();
      });
  }

  /** Ends a tenure, if that has not begun. Its signal is aborted when this returns. */
  stepDown(tenure: Tenure, lost: LeadershipLost, handOver: (() => Promise<void>) | null = null): void {
    tenure.leadership.end(lost);
    if (tenure.isEnding) return;
    tenure.isEnding = true;
    void this.#end(tenure, handOver);
  }

  async #end(tenure: Tenure, handOver: (() => Promise<void>) | null): Promise<void> {
    const { held } = this.#seat.standing;
    const hasStopped = await this.#drains(tenure, tenure.stopped.promise);
    let isReleased = false;
    try {
      await this.#release(tenure, handOver);
      isReleased = true;
      tenure.released.resolve();
    } catch (error) {
      tenure.released.reject(error);
    }
    if (hasStopped) await this.#drains(tenure, tenure.returned.promise);
    // A leadership whose release failed may be granted again, but not if late writes of the old work could be taken
    // for new ones.
    const mayGoOn = !isReleased && tenure.returned.isSettled && !tenure.hasLapsed;
    if (!mayGoOn && tenure.leadership.rests(held)) this.#spent = held;
    this.#tenure = null;
    tenure.over.resolve(tenure.returned.isSettled);
    this.#settle();
  }

  /** Waits for the work to stop, at most for the drain time. */
  async #drains(tenure: Tenure, stopped: Promise<void>): Promise<boolean> {
    const { drainMs } = this.patience;
    const promptMs = Math.min(PROMPT_MS, drainMs);
    if (await settlesWithin(this.clock, stopped, promptMs)) return true;
    tenure.isSlow = true;
    this.#makeWay(tenure);
    return settlesWithin(this.clock, stopped, drainMs - promptMs);
  }

  async #release(tenure: Tenure, handOver: (() => Promise<void>) | null): Promise<void> {
    const { held, detail } = this.#seat.standing;
    if (!tenure.leadership.rests(held)) {
      if (handOver === null) return;
      throw new CaucusError('E_NOT_LEADER', `it was lost before it could be transferred: ${detail}`);
    }
    const lost = tenure.leadership.lost!; // Set when the end began.
    const isWanted = this.#takers.length > 0 || (tenure.stopped.isSettled && !tenure.returned.isSettled);
    if (handOver !== null) {
      await this.#within(handOver, 'the transfer');
    } else if (isWanted && !tenure.mayReturn) {
      await this.#within(() => this.#seat.resign(lost), 'the release');
    } else {
      this.#isStanding = false;
      await this.#within(() => this.#seat.withdraw(lost), 'the release');
    }
  }

  /** A store that never answers must not block us for ever. */
  async #within<T>(ask: () => Promise<T>, what: string): Promise<T> {
    const asked = (async () => ask())();
    const { answerMs } = this.patience;
    if (await settlesWithin(this.clock, asked, answerMs)) return asked;
    throw new CaucusError('E_TIMEOUT', `${what} was not answered within ${answerMs} ms`, {
      outcome: 'indefinite',
    });
  }

  lapsed(leadership: Leadership, lost: LeadershipLost): void {
    const tenure = this.#tenureOf(leadership);
    if (tenure === null) return;
    tenure.hasLapsed = true;
    this.stepDown(tenure, lost);
  }

  async resign(leadership: Leadership, why: Why = DONE): Promise<void> {
    const tenure = this.#tenureOf(leadership);
    if (tenure === null) return; // Already over.
    const isOurs = !tenure.isEnding;
    this.stepDown(tenure, this.loss(why.cause, why.detail));
    tenure.confirm();
    // If another call began to end it, that call gets the error. Here we only wait for the end.
    await (isOurs ? tenure.released.promise : tenure.over.promise);
  }

  async transfer(leadership: Leadership, to: string): Promise<void> {
    leadership.assert();
    const tenure = this.#tenureOf(leadership)!;
    this.startTransfer(tenure, to);
    tenure.confirm();
    await tenure.released.promise;
  }

  startTransfer(tenure: Tenure, to: string): void {
    const refusal = this.#seat.refuseTransfer(to);
    if (refusal !== null) throw refusal; // Checked before the work is stopped in vain.
    this.stepDown(tenure, this.loss('transferred', `it is transferred to ${to}`), () =>
      this.#seat.transfer(to),
    );
  }

  /** `isRecord`: the value is what `once` or a partition records. */
  async publish(
    leadership: Leadership,
    value: Json,
    signal?: AbortSignal,
    isRecord = false,
  ): Promise<number> {
    leadership.assert();
    signal?.throwIfAborted();
    if (!isRecord) refuseMixed(this.#seat);
    const copy = frozenCopy(value);
    const asked = this.#within(() => this.#seat.publish(copy), 'the publication');
    return unlessEnded(asked, [leadership.signal, signal]);
  }

  loss(cause: Cause, detail: string): LeadershipLost {
    return new LeadershipLost(this.election, cause, detail);
  }

  /** What the work of a leader sees when a participant requests its resignation. */
  asked(reason = ''): LeadershipLost {
    return this.loss('resigned', `its resignation was requested${reason === '' ? '' : `: ${reason}`}`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    this.closed.abort(error);
    this.#stopLookingAgain?.();
    this.#refuseAll(error);
    if (this.#tenure !== null) {
      this.stepDown(this.#tenure, this.loss('closed', 'the election was closed'));
      await this.#tenure.over.promise;
    }
    await this.#leaving;
    await this.#within(() => this.#seat.close(), 'the farewell');
  }

  #tenureOf(leadership: Leadership): Tenure | null {
    return this.#tenure?.leadership === leadership ? this.#tenure : null;
  }
}
