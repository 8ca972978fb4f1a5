import type { Json } from '../../core/index.ts';
import type { ResignationRequest, TransactedWork } from '../../election/index.ts';
import type { FirstValue } from './first-value.ts';

/** The state of an election in a store, at one moment during the call. */
export interface Reading {
  /** Null: there is no leader. */
  readonly leader: string | null;
  readonly token: bigint | null;
  /** How long until the lease is free if its holder does nothing; null if the store does not tell. */
  readonly freeInMs: number | null;
  /**
   * The leadership that was read before is over: by a crash, so that its lease has expired, or by a resignation. For
   * stores that do not tell `freeInMs`, which says it otherwise.
   */
  readonly hasCrashed?: boolean;
  /** The value that was published last, and its version; null and 0 if there is none, or the store cannot publish. */
  readonly value: Json;
  readonly version: number;
}

/** What a store has granted. A store adds the fields that it needs to recognise it. */
export interface Grant {
  /** Greater than the token of every earlier grant of this election. */
  readonly token: bigint;
  /**
   * When the lease was requested or renewed, on the engine's clock, if that was before the call. Elections that share a
   * session share its renewals, and the lease counts from then.
   */
  readonly askedMs?: number;
  /** Of a renewal: an operator requests our resignation, for this reason (perhaps empty). */
  readonly asked?: string;
}

/** The context of a call: when the signal is aborted, the seat no longer waits, and the call should stop. */
export interface Call {
  readonly signal: AbortSignal;
}

/**
 * One election's lease in a store. A seat drives it: one call at a time, each with a deadline. A call that rejects
 * may still have its effect, now or later, so every call must be harmless when it arrives late:
 *
 * - `renew`, `release` and `publish` have no effect unless the store still holds exactly this grant;
 * - `ask` has no effect unless the store still holds the grant of that token;
 * - `take` never takes what another process holds. It takes over what an earlier, unanswered attempt of this process
 *   got, with a new token.
 *
 * The store counts the lease from no earlier than the request. Nothing here reads a wall clock.
 */
export interface LeaseStore<G extends Grant = Grant> {
  /**
   * Takes the lease if it is free. Returns the resulting state either way. A store that can do both in one act also
   * publishes `first`, which saves the leader a request; the reading shows whether it did.
   */
  take(
    call: Call,
    first?: FirstValue | null,
  ): Promise<{ readonly grant: G | null; readonly reading: Reading }>;
  /** The whole lease again. Null: it is certainly no longer ours. */
  renew(grant: G, call: Call): Promise<G | null>;
  /**
   * We no longer act on this grant, for whatever reason. A store that renews several grants with one request leaves it
   * out from now on. Makes no call.
   */
  forget?(grant: G): void;
  /** Frees the lease, and wakes waiting candidates. */
  release(grant: G, call: Call): Promise<void>;
  /**
   * We are no longer a candidate: a store with a queue removes us from it. Called when we hold nothing; if it
   * rejects, the store cleans up by itself.
   */
  leave?(call: Call): Promise<void>;
  /** Publishes a value to all observers, and returns its version. Null: the grant is certainly lost. */
  publish?(grant: G, value: Json, call: Call): Promise<number | null>;
  /**
   * Does this work in a transaction that has no effect unless the store holds exactly this grant, and that publishes
   * the value. Returns its version once it is committed. Null: the grant is certainly lost. No other participant can
   * take the lease while it lasts.
   */
  transact?(grant: G, work: TransactedWork): Promise<number | null>;
  /** Leaves a request for the holder of this token, and wakes it: its next renewal returns the request. */
  ask?(request: ResignationRequest, call: Call): Promise<void>;
  read(call: Call): Promise<Reading>;
  /**
   * Calls back whenever something may have changed: a hint to read at once, which may be wrong or missing. `ours`:
   * the hint is about our own grant, which may be lost or requested by an operator. Our own renewals cause no hints.
   * Returns a function that stops it. Never throws: the calls find any error.
   */
  watch(hint: (news: 'changed' | 'ours') => void): () => void;
  /** Is it being opened for the first time, as it says itself? Calls that fail meanwhile are no trouble yet. */
  isOpening?(): boolean;
}
