import type { Cause, Json, Why } from '../core/index.ts';
import { Ending, onceAborted } from './aborts.ts';
import { type Clock, settlesWithin } from './clock.ts';
import { CaucusError, LeadershipLost } from './errors.ts';
import { frozenCopy } from './frozen-json.ts';
import { type Grantor, Leadership } from './leadership.ts';
import { refuseMixed, unlessEnded } from './publication.ts';
import type { Held, Opening, Seat, Standing } from './seat.ts';
import { Tenure } from './tenure.ts';

/** How soon to check again a held leadership whose lease has expired by our clock. */
const LOOK_AGAIN_MS = 100;
/** While work stops within this time after a loss, we stay a candidate for the next leadership. */
const PROMPT_MS = 100;

export interface Patience {
  /** How long the work may continue after its signal was aborted before the leadership is released anyway. */
  readonly drainMs: number;
  /** How long the seat may take to release, transfer or publish before we stop waiting. */
  readonly answerMs: number;
}

interface Taker {
  readonly opening: Opening | undefined;
  give(tenure: Tenure): void;
  refuse(error: unknown): void;
}

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
  readonly #takers: Taker[] = [];
  #tenure: Tenure | null = null;
  #isStanding = false;
  #leaving: Promise<void> | null = null;
  /** A leadership that was given up, although the seat may still show it. */
  #spent: Held | null = null;
  #stopLookingAgain: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(seat: Seat, clock: Clock, patience: Patience) {
    this.election = seat.election;
    this.clock = clock;
    this.#seat = seat;
    this.patience = patience;
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

  #take(signal: AbortSignal | undefined, opening: Opening | undefined): Promise<Tenure> {
    return new Promise((resolve, reject) => {
      if (this.closed.aborted) return reject(this.closed.reason);
      if (signal?.aborted) return reject(signal.reason);
      const forget = onceAborted([signal], (reason) => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(reason);
        this.#settle();
      });
      const taker: Taker = {
        opening,
        give: (tenure) => {
          forget();
          resolve(tenure);
        },
        refuse: (error) => {
          forget();
          reject(error);
        },
      };
      this.#takers.push(taker);
      this.#settle();
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
        for (const taker of this.#takers.splice(0)) taker.refuse(error);
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
    this.#takers.shift()?.give(tenure);
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
    return this.loss(
      'resigned',
      reason === '' ? 'its resignation was requested' : `its resignation was requested: ${reason}`,
    );
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    this.closed.abort(error);
    this.#stopLookingAgain?.();
    for (const taker of this.#takers.splice(0)) taker.refuse(error);
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

/** Causes of the start of a leadership; none of them says why the last one ended. */
const BEGINNINGS: readonly Cause[] = ['won', 'learned', 'started'];

/** A seat that lost and won again at once reports only the win. */
function lossOf(election: string, { cause, detail, leader, token, held }: Standing): LeadershipLost {
  if (held !== null)
    return new LeadershipLost(election, 'lease-expired', `it was won again with token ${held.token}`);
  if (!BEGINNINGS.includes(cause)) return new LeadershipLost(election, cause, detail);
  return new LeadershipLost(
    election,
    'deposed',
    `${leader ?? 'another participant'} leads with token ${token ?? 'unknown'}`,
  );
}
