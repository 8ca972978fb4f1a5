import type { Cause, Json, Why } from '../core/index.ts';
import { onceAborted } from './aborts.ts';
import { type Clock, settlesWithin } from './clock.ts';
import { CaucusError, LeadershipLost } from './errors.ts';
import { frozenCopy } from './frozen-json.ts';
import { type Grantor, Leadership } from './leadership.ts';
import type { Held, Seat, Standing } from './seat.ts';
import { Tenure } from './tenure.ts';

/** How soon to look again at something held whose lease has run out by our clock. */
const LOOK_AGAIN_MS = 100;
/** Work that stops within this time after a loss does not keep us from standing for the next leadership meanwhile. */
const PROMPT_MS = 100;

export interface Patience {
  /** How long the work may go on after its signal was aborted before the leadership is released all the same. */
  readonly drainMs: number;
  /** How long the seat may take to release, to hand over or to publish before we stop waiting for it. */
  readonly answerMs: number;
}

interface Taker {
  give(tenure: Tenure): void;
  refuse(error: unknown): void;
}

const DONE: Why = { cause: 'resigned', detail: 'its work is done' };

/**
 * Grants what a seat holds to those who wait for it, one at a time, and takes it back. There are four states:
 *   away      nobody waits, and we do not stand       → standing (somebody waits)
 *   standing  somebody waits                          → granted (the seat holds something) | leaving (nobody waits any more)
 *   granted   a tenure lasts, or is being ended       → standing | leaving (also while the work of one that was lost goes on)
 *   leaving   the seat withdraws                      → away | standing
 */
export class Candidacy implements Grantor {
  readonly election: string;
  readonly clock: Clock;
  readonly #seat: Seat;
  readonly #patience: Patience;
  readonly #takers: Taker[] = [];
  readonly #closed = new AbortController();
  #tenure: Tenure | null = null;
  #isStanding = false;
  #leaving: Promise<void> | null = null;
  /** What is given up for good, although the seat may still show it. */
  #spent: Held | null = null;
  #stopLookingAgain: () => void = () => {};
  #closing: Promise<void> | null = null;

  constructor(seat: Seat, clock: Clock, patience: Patience) {
    this.election = seat.election;
    this.clock = clock;
    this.#seat = seat;
    this.#patience = patience;
  }

  /** Aborted when the election is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
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

  /** Waits in line for the next leadership. It is in line before this returns. */
  async win(signal: AbortSignal | undefined): Promise<Tenure> {
    for (;;) {
      const tenure = await this.#take(signal);
      if (tenure.leadership.isValid()) return tenure;
      tenure.finish(); // It was lost before its taker could begin.
    }
  }

  #take(signal: AbortSignal | undefined): Promise<Tenure> {
    return new Promise((resolve, reject) => {
      if (this.#closed.signal.aborted) return reject(this.#closed.signal.reason);
      if (signal?.aborted) return reject(signal.reason);
      const forget = onceAborted([signal], (reason) => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(reason);
        this.#settle();
      });
      const taker: Taker = {
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

  /** Brings what we do in line with who waits. Safe to call at any time. */
  #settle(): void {
    this.#stopLookingAgain();
    if (this.#tenure !== null || this.#leaving !== null || this.#closed.signal.aborted) return;
    if (this.#takers.length === 0) {
      if (this.#isStanding) this.#leave('nobody here wants to lead');
      return;
    }
    if (!this.#isStanding) {
      this.#isStanding = true;
      try {
        this.#seat.stand(); // It may tell us of a leadership before it returns.
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
    // It cannot be granted, and yet it stands in the way of a new one: nobody may drop out of an election unnoticed.
    this.#stopLookingAgain = this.clock.after(LOOK_AGAIN_MS, () => this.#insist(held));
  }

  /** Gives up what cannot be granted, again and again until the seat no longer holds it. */
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

  /** Nobody can be granted anything while work of before goes on: what we took then would only keep the others from it. */
  #makeWay({ leadership }: Tenure): void {
    if (!this.#isStanding || this.#leaving !== null || leadership.rests(this.#seat.standing.held)) return;
    this.#leave('its work of before has not stopped yet');
  }

  #leave(detail: string): void {
    this.#isStanding = false;
    this.#spent = this.#seat.standing.held;
    const why = this.loss('resigned', detail);
    this.#leaving = this.#within(() => this.#seat.withdraw(why), 'the withdrawal')
      .catch(() => {}) // What could not be released runs out by itself; nobody is left to be told.
      .finally(() => {
        this.#leaving = null;
        this.#settle();
      });
  }

  /** Ends a tenure, unless it is ending. Its signal is aborted when this returns. */
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
    // What could not be released may be granted anew, but never where late writes of before could pass for those of now.
    const mayGoOn = !isReleased && tenure.returned.isSettled && !tenure.hasLapsed;
    if (!mayGoOn && tenure.leadership.rests(held)) this.#spent = held;
    this.#tenure = null;
    tenure.over.resolve(tenure.returned.isSettled);
    this.#settle();
  }

  /** Waits for work to stop, for as long as it may take. */
  async #drains(tenure: Tenure, stopped: Promise<void>): Promise<boolean> {
    const { drainMs } = this.#patience;
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
      throw new CaucusError('E_NOT_LEADER', `it was lost before it could be handed over: ${detail}`);
    }
    const lost = tenure.leadership.lost!; // That is how its end began.
    const isWanted = this.#takers.length > 0 || (tenure.stopped.isSettled && !tenure.returned.isSettled);
    if (handOver !== null) {
      await this.#within(handOver, 'the transfer');
    } else if (isWanted) {
      await this.#within(() => this.#seat.resign(lost), 'the release');
    } else {
      this.#isStanding = false;
      await this.#within(() => this.#seat.withdraw(lost), 'the release');
    }
  }

  /** A store that never answers must not hold us for ever. */
  async #within<T>(ask: () => Promise<T>, what: string): Promise<T> {
    const asked = (async () => ask())();
    const { answerMs } = this.#patience;
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
    if (tenure === null) return; // It is long over.
    const isOurs = !tenure.isEnding;
    this.stepDown(tenure, this.loss(why.cause, why.detail));
    tenure.confirm();
    // Whoever began to end it is told of a failure; for us it is only the end of the wait.
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
    if (refusal !== null) throw refusal; // Before the work is stopped for nothing.
    this.stepDown(tenure, this.loss('transferred', `it is handed to ${to}`), () => this.#seat.transfer(to));
  }

  async publish(leadership: Leadership, value: Json, signal?: AbortSignal): Promise<number> {
    leadership.assert();
    signal?.throwIfAborted();
    const copy = frozenCopy(value);
    const asked = this.#within(() => this.#seat.publish(copy), 'the publication');
    let forget = (): void => {};
    const calledOff = new Promise<never>((_, reject) => {
      forget = onceAborted([leadership.signal, signal], (reason) => {
        const why = 'it is not known whether the value was published';
        reject(new CaucusError('E_FAILED', why, { outcome: 'indefinite', cause: reason }));
      });
    });
    try {
      return await Promise.race([asked, calledOff]);
    } finally {
      forget();
    }
  }

  loss(cause: Cause, detail: string): LeadershipLost {
    return new LeadershipLost(this.election, cause, detail);
  }

  /** What is told to the work of a leader that somebody asks to resign. */
  asked(reason = ''): LeadershipLost {
    return this.loss('resigned', reason === '' ? 'it was asked to' : `it was asked to: ${reason}`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    this.#closed.abort(error);
    this.#stopLookingAgain();
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

/** Causes that tell how the next leadership began, and not how the last one ended. */
const BEGINNINGS: readonly Cause[] = ['won', 'learned', 'started'];

/** A seat that lost and won again at once tells only of the second. */
function lossOf(election: string, { cause, detail, leader, token, held }: Standing): LeadershipLost {
  if (held !== null)
    return new LeadershipLost(election, 'lease-expired', `it was won anew with token ${held.token}`);
  if (!BEGINNINGS.includes(cause)) return new LeadershipLost(election, cause, detail);
  return new LeadershipLost(
    election,
    'deposed',
    `${leader ?? 'somebody else'} leads with token ${token ?? 'unknown'}`,
  );
}
