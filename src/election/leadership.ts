import type { Json, Why } from '../core/index.ts';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { LeadershipLost } from './errors.ts';
import type { Held } from './seat.ts';

/** What a leadership asks of the election that granted it. */
export interface Grantor {
  readonly election: string;
  readonly clock: Clock;
  /** It has ended by the clock. */
  lapsed(leadership: Leadership, lost: LeadershipLost): void;
  resign(leadership: Leadership, why?: Why): Promise<void>;
  transfer(leadership: Leadership, to: string): Promise<void>;
  publish(leadership: Leadership, value: Json): Promise<number>;
}

/**
 * A leadership that we hold, from the moment we won until it ends. It ends once and never comes back: whoever wins again
 * holds a new one. Its functions can be taken off it (`({ assert }) => …`).
 */
export class Leadership {
  /** Grows with every leadership, over everything: what a fenced store compares. */
  readonly token: bigint;
  /** Aborted before anybody else may act. Its reason is a `LeadershipLost`. */
  readonly signal: AbortSignal;

  /** May we act at this moment of the clock? Good until the next `await`, and no longer. */
  readonly isValid: () => boolean;
  /** Throws the `LeadershipLost` if we may not act at this moment of the clock. */
  readonly assert: () => void;
  /**
   * Says that the work has stopped, and gives the leadership up so that another may take over at once. Settles when it is
   * released. If it had ended already, this tells the election that it need not wait for us. `why` is what the history tells
   * of it; without it, that the work is done.
   */
  readonly resign: (why?: Why) => Promise<void>;
  /** Says that the work has stopped, and hands the leadership to this participant. Rejects with why that did not come about. */
  readonly transfer: (to: string) => Promise<void>;
  /** Publishes a value to all who observe the election. Settles with its version once it is certain. */
  readonly publish: (value: Json) => Promise<number>;

  readonly #held: Held;
  readonly #controller = new AbortController();
  readonly #deadline: Deadline;
  #lost: LeadershipLost | null = null;

  constructor(held: Held, grantor: Grantor) {
    this.token = held.token;
    this.signal = this.#controller.signal;
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

  /** How long we may act without being renewed, at this moment; 0 if we may not, Infinity where there is no lease. */
  get expiresInMs(): number {
    return this.#deadline.look() ? this.#deadline.leftMs : 0;
  }

  /**
   * How long no other participant may act, at this moment: the same as `expiresInMs` while we may, and what is left for the work to
   * stop in order once its signal is aborted. It is renewed until the leadership is released; 0 if that has happened or it was lost.
   */
  get heldForMs(): number {
    return this.#deadline.heldMs;
  }

  /** Why it has ended; null while it has not. */
  get lost(): LeadershipLost | null {
    return this.#lost;
  }

  /** Lets `await using` release it at the end of a block, however the block is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A release that fails here is not worth more than what the block was left for: the lease runs out by itself.
    await this.resign().catch(() => {});
  }

  /** @internal Is it this one that the seat holds? */
  rests(on: Held | null): boolean {
    return this.#held === on;
  }

  /** @internal Starts the clock. */
  begin(): void {
    this.#deadline.start();
  }

  /** @internal Only the first reason counts. */
  end(lost: LeadershipLost): void {
    if (this.#lost !== null) return;
    this.#lost = lost;
    this.#deadline.stop();
    this.#controller.abort(lost);
  }
}
