import { deferred } from '../deferred.ts';
import type { LeadershipLost } from '../errors.ts';
import type { Leadership } from '../leadership.ts';
import type { ScheduleShard, ShardScheduleOptions, ShardScheduleWork } from './shard-schedules.ts';

/** A shard that this replica owns, from the start of its work until it is released or lost. It ends once. */
export class OwnedShard {
  /** Its number, from 0. */
  readonly shard: number;
  /** Larger than the token of every earlier owner of this shard. A fenced store compares it. */
  readonly token: bigint;
  /** Aborted before any other replica may act on this shard. Its reason is a `LeadershipLost`. */
  readonly signal: AbortSignal;
  /** Resolves with the reason when this replica no longer owns it; it never rejects. */
  readonly ended: Promise<LeadershipLost>;
  /** May we act on this shard at this moment? The answer is good until the next `await`. */
  readonly isValid: () => boolean;
  /** Throws the `LeadershipLost` if we may not act on this shard at this moment. */
  readonly assert: () => void;
  /**
   * Does the work once at each fire time of a cron line, for this shard and with its token, also across a change of its
   * owner. Settles when the shard is lost, or the option `signal` is aborted, and the work has stopped.
   */
  readonly schedule: (line: string, work: ShardScheduleWork, options?: ShardScheduleOptions) => Promise<void>;

  readonly #session: Leadership;
  readonly #controller = new AbortController();
  readonly #ended = deferred<LeadershipLost>();
  #lost: LeadershipLost | null = null;
  #isReleased = false;

  constructor(shard: number, token: number, session: Leadership, schedule: ScheduleShard) {
    this.shard = shard;
    this.token = BigInt(token);
    this.signal = this.#controller.signal;
    this.ended = this.#ended.promise;
    this.#session = session;
    this.schedule = (line, work, options) => schedule(this, line, work, options);
    this.isValid = () => session.isValid() && this.#lost === null;
    this.assert = () => {
      if (!this.isValid()) throw this.#lost ?? session.lost!;
    };
  }

  /** How long we may act without a renewal, from now; 0 if we may not act, Infinity if the protocol has no lease. */
  get expiresInMs(): number {
    return this.isValid() ? this.#session.expiresInMs : 0;
  }

  /** The same, and once the signal is aborted the time that is left for the work to stop; 0 once it is released. */
  get heldForMs(): number {
    return this.#isReleased ? 0 : this.#session.heldForMs;
  }

  /** Why it ended; null while it lasts. */
  get lost(): LeadershipLost | null {
    return this.#lost;
  }

  /** @internal Only the first reason counts. */
  end(lost: LeadershipLost): void {
    if (this.#lost !== null) return;
    this.#lost = lost;
    this.#controller.abort(lost);
    this.#ended.resolve(lost);
  }

  /** @internal Another replica may own it from now on. */
  release(): void {
    this.#isReleased = true;
  }
}
