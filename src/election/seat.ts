import type { Cause, Json, Why } from '../core/index.ts';
import type { CaucusError } from './errors.ts';

/** A leadership that we hold. */
export interface Held {
  /** Grows with every leadership, over everything. */
  readonly token: bigint;
  /**
   * From this moment of the monotonic clock (`performance.now()`) on, somebody else may act. It is looked up anew at every
   * read, since each renewal moves it. Infinity where a protocol has no lease.
   */
  readonly expiresAtMs: number;
}

/** How an election stands, as far as we know. */
export interface Standing {
  readonly leader: string | null;
  /** False until a store has answered for the first time: no leader means nothing yet. A seat that always knows leaves it out. */
  readonly isKnown?: boolean;
  /** The leader's token, where it is known. */
  readonly token: bigint | null;
  /** Ours, while we may act. A new object for every leadership, the same one for as long as it lasts. */
  readonly held: Held | null;
  /** What the leader last published, and its version; null and 0 if nothing was. */
  readonly value: Json;
  readonly version: number;
  /** Why it came to this, with a sentence for people ("the event loop was blocked for 4.2 s"). */
  readonly cause: Cause;
  readonly detail: string;
  /**
   * Somebody asks us to give up what we hold, for this reason, which may be empty. Null, or left out where nobody can ask through
   * a seat: nobody does.
   */
  readonly asked?: string | null;
}

/** A request to give up a leadership. */
export interface ResignationRequest {
  /** Why, in one line for people: what the leader's work is told. */
  readonly reason: string;
  /** The leadership that is meant. The request does nothing where another has followed it. */
  readonly token: bigint;
}

/**
 * One participant's place in one election, whatever is behind it: a member of ours, etcd, a database. `Election` stands on
 * this alone, so that all of them behave the same.
 */
export interface Seat {
  readonly election: string;
  /** Our own name in it. */
  readonly name: string;
  readonly standing: Standing;
  /** Is called at every change of `standing`, at once, with the new one. Returns how to stop. */
  watch(listener: (standing: Standing) => void): () => void;
  /** From now on we want to lead, again and again after every loss, until `withdraw`. */
  stand(): void;
  /** We no longer want to. What we hold is released; settles when it is, or cannot be. Those who observe may be told why. */
  withdraw(why?: Why): Promise<void>;
  /** Gives up what we hold, so that another may take over at once. We go on standing. */
  resign(why?: Why): Promise<void>;
  /** Passes this on to whoever leads. Settles once it is left where they will find it, which says nothing of what they do. */
  ask?(request: ResignationRequest): Promise<void>;
  /** Why `transfer` to this participant would be refused, as far as is known beforehand; else null. Nothing happens. */
  refuseTransfer(to: string): CaucusError | null;
  /** Hands what we hold to this participant. Rejects with why it did not come about. */
  transfer(to: string): Promise<void>;
  /** Publishes a value to all who observe. Settles with its version once it is certain. */
  publish(value: Json): Promise<number>;
  /** Leaves the election. Nothing changes after it has settled. */
  close(): Promise<void>;
}
