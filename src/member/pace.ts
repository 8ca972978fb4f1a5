/**
 * How many elections of a process look for a leader at a time. Without a bound, thousands of elections that begin
 * together (a start, the end of a process that led them) send their requests for votes at once. The answers wait behind
 * each other for longer than the leases that they give, leaders lose those before they can renew them, and all begin
 * anew.
 *
 * An election that is to campaign takes a place. It keeps the place until it has a leader, or for a second. Where no
 * place is free it waits, and the timer with which it would begin comes due late, as in a busy process. Nothing else
 * waits: it answers other candidates, and ends its promises. Those that wait go on in random order, so that the members
 * of a cluster, which all wait for the same elections, begin with different ones and rarely split votes.
 *
 * An election that this process has won has heartbeats of its own until it rests (src/support). Thousands of them would
 * occupy the processes of a cluster as the requests for votes would, so while many have yet to rest, none begins.
 */
import type { Clock } from './clock.ts';

/** What waits for a place. */
export interface Paced {
  readonly isLed: boolean;
  /** Is it led by this process, and still to rest? */
  readonly isUnsettled: boolean;
  goOn(): void;
}

/** Programs with fewer elections never wait. */
const MOST_AT_ONCE = 100;
/** An election without a leader after this time gives its place to another one. */
const PATIENCE_MS = 1000;
/** So many heartbeats of their own, to two voters each, occupy a process with the usual times for a third of its time. */
const MOST_UNSETTLED = 500;
/** An election that does not rest by then does not rest soon. */
const SETTLING_MS = 2000;

export class Pace {
  readonly #clock: Clock;
  /** Those that have a place, and since when. The first one has it for the longest time. */
  readonly #placed = new Map<Paced, number>();
  /** Those that this process has won and that do not rest yet, likewise. */
  readonly #unsettled = new Map<Paced, number>();
  readonly #waiting: Paced[] = [];
  readonly #isWaiting = new Set<Paced>();
  #stopTimer: (() => void) | null = null;
  #isDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** May it campaign now? If not, `goOn` is called once it may. */
  enter(election: Paced): boolean {
    if (this.#placed.has(election)) return true;
    if (this.#waiting.length === 0 && this.#hasRoom) {
      this.#placed.set(election, this.#clock.now());
      return true;
    }
    if (!this.#isWaiting.has(election)) {
      this.#isWaiting.add(election);
      this.#waiting.push(election);
    }
    this.#watch();
    return false;
  }

  get #hasRoom(): boolean {
    return this.#placed.size < MOST_AT_ONCE && this.#unsettled.size < MOST_UNSETTLED;
  }

  /** To be called when an election has changed, and when it begins to rest. */
  look(election: Paced): void {
    const wasPlaced = election.isLed && this.#placed.delete(election);
    if (wasPlaced && election.isUnsettled) this.#unsettled.set(election, this.#clock.now());
    const hasSettled = this.#unsettled.size > 0 && !election.isUnsettled && this.#unsettled.delete(election);
    if (!(wasPlaced || hasSettled) || this.#waiting.length === 0 || this.#isDue) return;
    this.#isDue = true;
    // What has arrived meanwhile comes first.
    setImmediate(() => this.#admit());
  }

  close(): void {
    this.#stopTimer?.();
    this.#waiting.length = 0;
  }

  #admit(): void {
    this.#isDue = false;
    while (this.#waiting.length > 0 && this.#hasRoom) {
      const i = Math.floor(Math.random() * this.#waiting.length);
      const next = this.#waiting[i]!;
      this.#waiting[i] = this.#waiting.at(-1)!;
      this.#waiting.pop();
      this.#isWaiting.delete(next);
      // Also one with a leader: that one may be silent, and a timer due. Without a place the timer would wait again at
      // once, and if all that wait are such elections, this loop would never end.
      this.#placed.set(next, this.#clock.now());
      next.goOn();
    }
  }

  /** While elections wait: those that had their time make room. */
  #watch(): void {
    if (this.#stopTimer !== null) return;
    const nowMs = this.#clock.now();
    const endsAtMs = Math.min(
      oldest(this.#placed, nowMs) + PATIENCE_MS,
      oldest(this.#unsettled, nowMs) + SETTLING_MS,
    );
    this.#stopTimer = this.#clock.set(endsAtMs, () => {
      this.#stopTimer = null;
      const nowMs = this.#clock.now();
      dropUntil(this.#placed, nowMs - PATIENCE_MS);
      dropUntil(this.#unsettled, nowMs - SETTLING_MS);
      this.#admit();
      if (this.#waiting.length > 0) this.#watch();
    });
  }
}

function oldest(times: ReadonlyMap<Paced, number>, nowMs: number): number {
  for (const sinceMs of times.values()) return sinceMs;
  return nowMs;
}

function dropUntil(times: Map<Paced, number>, untilMs: number): void {
  for (const [election, sinceMs] of times) {
    if (sinceMs > untilMs) return;
    times.delete(election);
  }
}
