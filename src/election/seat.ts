import type { Cause, Json, Why } from '../core/index.ts';
import type { CaucusError } from './errors.ts';

/** A leadership that we hold. */
export interface Held {
  /** Larger than the token of every earlier leadership. */
  readonly token: bigint;
  /**
   * From this moment of the monotonic clock (`performance.now()`) on, another participant may act. Every renewal
   * moves it, so it is computed at every read. Infinity if the protocol has no lease.
   */
  readonly expiresAtMs: number;
}

/** The state of an election, as far as we know. */
export interface Standing {
  readonly leader: string | null;
  /**
   * False until a store has answered for the first time; until then `leader: null` says nothing. Omitted by a seat
   * that always knows.
   */
  readonly isKnown?: boolean;
  /** The leader's token, if it is known. */
  readonly token: bigint | null;
  /** Our leadership, while we may act. Every leadership has its own object, which stays the same until it ends. */
  readonly held: Held | null;
  /** The value that a leader published last, and its version; null and 0 if there is none. */
  readonly value: Json;
  readonly version: number;
  /**
   * False while we hold a leadership and the value may be older than the last that was published: a new leader of
   * members may first have to complete what an earlier one began. Null: the protocol never knows. Omitted by a seat
   * whose value is the last one whenever it holds a leadership.
   */
  readonly isCurrent?: boolean | null;
  /** Why, with a sentence for people ("the event loop was blocked for 4.2 s"). */
  readonly cause: Cause;
  readonly detail: string;
  /**
   * The reason (perhaps empty) if a participant requests our resignation; null if none does. Omitted by a seat
   * without such requests.
   */
  readonly asked?: string | null;
}

/**
 * What a candidate publishes in the act that makes it the leader, where a store can do both at once: the value that
 * follows this one, with `OWN_TOKEN` in place of its token. Null: nothing.
 */
export type Opening = (value: Json) => Json | null;

/** A request that a leader resign. */
export interface ResignationRequest {
  /** The reason, in one line for people. The leader's work sees it. */
  readonly reason: string;
  /** The leadership that is meant. The request has no effect on a later one. */
  readonly token: bigint;
}

/** A transaction of the store, as the work of `once` uses it: a client of the package `pg`. */
export interface Transaction {
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the program selects, as with the package pg.
  query(text: string, values?: unknown[]): Promise<{ rows: any[]; rowCount: number | null }>;
}

/** Work in a transaction that also publishes a value. */
export interface TransactedWork {
  run(transaction: Transaction): Promise<void>;
  /** The value to publish, once the work is done. It may reject, which rolls back. */
  value(): Promise<Json>;
  /** How long the transaction may wait for us. */
  readonly idleMs: number;
  /** Called when the store has ended the transaction while the work runs: nothing of it will have an effect. */
  ended?(error: CaucusError): void;
}

/**
 * One participant's place in one election, whatever is behind it: a member, etcd, a database. `Election` uses only
 * this, so that all of them behave the same.
 */
export interface Seat {
  readonly election: string;
  /** Our own name in the election. */
  readonly name: string;
  readonly standing: Standing;
  /** Calls back synchronously at every change of `standing`. Returns a function that stops it. */
  watch(listener: (standing: Standing) => void): () => void;
  /**
   * From now on we are a candidate, also after every loss, until `withdraw`. `opening` may be published with each
   * leadership, in the same act; a seat that cannot do that leaves it out, and `standing.value` tells.
   */
  stand(opening?: Opening): void;
  /**
   * We are no longer a candidate. Settles when our leadership is released, or cannot be. `why` is passed on to
   * observers where the engine can.
   */
  withdraw(why?: Why): Promise<void>;
  /** Releases our leadership, so that another participant may take over at once. We stay a candidate. */
  resign(why?: Why): Promise<void>;
  /**
   * Passes the request on to the leader. Settles once it is stored where the leader will read it, which does not say
   * what the leader does.
   */
  ask?(request: ResignationRequest): Promise<void>;
  /** Why `transfer` to this participant would be refused, as far as is known beforehand; else null. Has no effect. */
  refuseTransfer(to: string): CaucusError | null;
  /** Transfers our leadership to this participant. Rejects with the reason if that fails. */
  transfer(to: string): Promise<void>;
  /** Publishes a value to all observers. Settles with its version once it is stored. */
  publish(value: Json): Promise<number>;
  /**
   * Does this work in a transaction that has no effect unless our leadership is the newest, and that publishes the
   * value. Settles with the version once it is committed. If it rejects, it was rolled back,
   * unless with a `CaucusError` whose outcome is indefinite.
   */
  transact?(work: TransactedWork): Promise<number>;
  /** Leaves the election. Nothing changes after this has settled. */
  close(): Promise<void>;
}
