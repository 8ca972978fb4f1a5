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
 */
import type { Clock } from './clock.ts';

/** What waits for a place. */
export interface Paced {
  readonly isLed: boolean;
  goOn(): void;
}

/** Programs with fewer elections never wait. */
const MOST_AT_ONCE = 100;
/** An election without a leader after this time gives its place to another one. */
const PATIENCE_MS = 1000;

export class Pace {
  readonly #clock: Clock;
  /** Those that have a place, and since when. The first one has it for the longest time. */
  readonly #placed = new Map<Paced, number>();
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
    if (this.#waiting.length === 0 && this.#placed.size < MOST_AT_ONCE) {
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

  /** To be called when an election has changed. */
  look(election: Paced): void {
    if (!election.isLed || !this.#placed.delete(election) || this.#waiting.length === 0 || this.#isDue)
      return;
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
    while (this.#waiting.length > 0 && this.#placed.size < MOST_AT_ONCE) {
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
    const [oldestMs] = this.#placed.values();
    const endsAtMs = (oldestMs ?? this.#clock.now()) + PATIENCE_MS;
    this.#stopTimer = this.#clock.set(endsAtMs, () => {
      this.#stopTimer = null;
      const nowMs = this.#clock.now();
      for (const [election, sinceMs] of this.#placed) {
        if (nowMs < sinceMs + PATIENCE_MS) break;
        this.#placed.delete(election);
      }
      this.#admit();
      if (this.#waiting.length > 0) this.#watch();
    });
  }
}
