import type { Json } from '../../core/index.ts';
import type { ResignationRequest } from '../../election/index.ts';

/** How an election stands in a store, as of one moment while we asked. */
export interface Reading {
  /** Null: there is no leader. */
  readonly leader: string | null;
  readonly token: bigint | null;
  /** When it will be free if its holder does nothing, counted from now; null where the store does not tell. */
  readonly freeInMs: number | null;
  /** What was last published, and its version; null and 0 if nothing was, or where the store cannot publish. */
  readonly value: Json;
  readonly version: number;
}

/** What a store has granted. A store keeps in it whatever it needs to recognise it. */
export interface Grant {
  /** Greater than that of every earlier grant of this election, over everything. */
  readonly token: bigint;
  /**
   * Of a renewal: when it was asked for, on the engine's clock, where that was before the call. Elections that share a session
   * share its renewals, and from then on it counts.
   */
  readonly askedMs?: number;
  /** Of a renewal: an operator asks us to give it up, for this reason, which may be empty. */
  readonly asked?: string;
}

/** Around every call: when the signal is aborted the call is no longer waited for, and it should be given up. */
export interface Call {
  readonly signal: AbortSignal;
}

/**
 * One election's lease in a system that holds it. A seat drives it: one call at a time, each with a deadline. A call that
 * rejects may have done its work all the same, now or later, so every one of them must be harmless when it comes late:
 *
 * - `renew`, `release` and `publish` do nothing unless the store still holds this very grant;
 * - `ask` does nothing unless the store still holds the grant of that token;
 * - `take` never takes what another process holds. What an earlier attempt of this process has got, which was never told,
 *   it takes over, with a new token.
 *
 * The store counts the lease from no earlier than when it was asked. Nothing here reads a wall clock.
 */
export interface LeaseStore<G extends Grant = Grant> {
  /** Takes it if it is free. Either way, tells how it stands then. */
  take(call: Call): Promise<{ readonly grant: G | null; readonly reading: Reading }>;
  /** The whole lease again. Null: it is certainly no longer ours. */
  renew(grant: G, call: Call): Promise<G | null>;
  /** Frees it, and wakes those who wait. */
  release(grant: G, call: Call): Promise<void>;
  /**
   * We no longer want it: a store where those who want it stand in line takes us out. It is called when we hold nothing; if it
   * rejects, the store sees to it by itself.
   */
  leave?(call: Call): Promise<void>;
  /** Shows a value to all who observe, and returns its version. Null: it is certainly no longer ours. */
  publish?(grant: G, value: Json, call: Call): Promise<number | null>;
  /** Leaves a request with the participant that holds the grant of this token, and wakes it: its next renewal shows the request. */
  ask?(request: ResignationRequest, call: Call): Promise<void>;
  read(call: Call): Promise<Reading>;
  /**
   * Calls whenever something may have changed: a hint to look at once, which may be false or missing. `ours` says that it is about
   * our own grant: that seems to have been taken away, or an operator asks for it. Renewals of our own are no news. Returns how
   * to stop. It never throws: what goes wrong here is noticed by the calls.
   */
  watch(hint: (news: 'changed' | 'ours') => void): () => void;
}
