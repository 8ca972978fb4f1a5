import type { Json, Why } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { deferred } from './deferred.ts';
import { LeadershipLost } from './errors.ts';
import type { Held } from './seat.ts';

/** What a leadership needs from the election that granted it. */
export interface Grantor {
  readonly election: string;
  readonly clock: Clock;
  /** The lease expired by the clock. */
  lapsed(leadership: Leadership, lost: LeadershipLost): void;
  resign(leadership: Leadership, why?: Why): Promise<void>;
  transfer(leadership: Leadership, to: string): Promise<void>;
  publish(leadership: Leadership, value: Json): Promise<number>;
}

/**
 * A leadership that we hold, from the win until it ends. It ends once: a later win is a new object. Its functions do
 * not need `this`, so `({ assert }) => …` works.
 */
export class Leadership {
  /** Larger than the token of every earlier leadership of this election. A fenced store compares it. */
  readonly token: bigint;
  /** May we act at this moment? The answer is good until the next `await`. */
  readonly isValid: () => boolean;
  /** Throws the `LeadershipLost` if we may not act at this moment. */
  readonly assert: () => void;
  /**
   * Says that the work has stopped, and releases the leadership, so that another participant may take over at once.
   * Settles when it is released. If the leadership had already ended, the election stops waiting for this work. `why`
   * goes to the history; the default is that the work is done.
   */
  readonly resign: (why?: Why) => Promise<void>;
  /**
   * Says that the work has stopped, and transfers the leadership to this participant. Rejects with the reason if the
   * transfer fails.
   */
  readonly transfer: (to: string) => Promise<void>;
  /** Publishes a value to all observers of the election. Settles with its version once it is stored. */
  readonly publish: (value: Json) => Promise<number>;

  readonly #held: Held;
  /** Made when the program first uses the signal: it takes a kilobyte. */
  #controller: AbortController | null = null;
  readonly #ended = deferred<LeadershipLost>();
  readonly #deadline: Deadline;
  #lost: LeadershipLost | null = null;

  constructor(held: Held, grantor: Grantor) {
    this.token = held.token;
    this.#held = held;
    this.#deadline = new Deadline(held, grantor.clock, (cause, detail) => {
      const lost = new LeadershipLost(grantor.election, cause, detail);
      this.end(lost);
      grantor.lapsed(this, lost);
    });
    this.isValid = () => this.#deadline.look();
    this.assert = () => {
      if (!this.#deadline.look()) throw this.#lost!;
    };
    this.resign = (why) => grantor.resign(this, why);
    this.transfer = (to) => grantor.transfer(this, to);
    this.publish = (value) => grantor.publish(this, value);
  }

  /** Aborted before any other participant may act. Its reason is a `LeadershipLost`. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#lost !== null) this.#controller.abort(this.#lost);
    }
    return this.#controller.signal;
  }

  /** Resolves with the reason when the leadership has ended; it never rejects. */
  get ended(): Promise<LeadershipLost> {
    return this.#ended.promise;
  }

  /** How long we may act without a renewal, from now; 0 if we may not act, Infinity if the protocol has no lease. */
  get expiresInMs(): number {
    return this.#deadline.look() ? this.#deadline.leftMs : 0;
  }

  /**
   * How long no other participant may act, from now. While we may act this equals `expiresInMs`; once the signal is
   * aborted, it is the time left for the work to stop. Renewals continue until the leadership is released; 0 once it
   * is released or lost.
   */
  get heldForMs(): number {
    return this.#deadline.heldMs;
  }

  /** Why it ended; null while it lasts. */
  get lost(): LeadershipLost | null {
    return this.#lost;
  }

  /** Lets `await using` release it at the end of a block, however the block is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A failed release must not hide the error that left the block. The lease expires by itself.
    await this.resign().catch(() => {});
  }

  /**
   * @internal Is this the leadership that the seat holds?
   */
  rests(on: Held | null): boolean {
    return this.#held === on;
  }

  /**
   * @internal Starts watching the deadline.
   */
  begin(): void {
    this.#deadline.start();
  }

  /**
   * @internal Only the first reason counts.
   */
  end(lost: LeadershipLost): void {
    if (this.#lost !== null) return;
    this.#lost = lost;
    this.#deadline.stop();
    this.#controller?.abort(lost);
    this.#ended.resolve(lost);
  }
}
