/**
 * How an election rests. An election at rest has no messages and no timers of its own: the leader's process asks every
 * voter for support once per heartbeat, whatever the number of its elections, and an answer counts as the answer to a
 * heartbeat of every election that rests with that voter (src/support). These types are what a protocol has to tell
 * for that; a protocol that cannot rest has none of them.
 */
import type { Delay, Effect } from './effect.ts';
import type { MemberId } from './ids.ts';
import type { Json } from './json.ts';
import type { Message } from './protocol.ts';

/** The times of the requests for support. Elections with other times do not rest together. */
export interface SupportTimes {
  readonly heartbeatMs: number;
  /** For how long a voter is asked to help no other candidate. */
  readonly promiseMs: number;
  /** How long the leader counts on that, from sending: less, by the drift of two clocks. */
  readonly leaseMs: number;
}

/** What a leader says of an election that is to rest. */
export interface RestOffer {
  readonly times: SupportTimes;
  /** By voter, what it must have to rest too, such as the term and the version of the register. */
  readonly marks: Readonly<Record<string, string>>;
  /** The voters, the leader included. */
  readonly voters: readonly MemberId[];
  /** The other voters that answer now. */
  readonly answering: readonly MemberId[];
  /** Equal for elections in which the same answers carry a lease. */
  readonly kind: string;
  /** The latest round that was sent. The next request for support is the next round. */
  readonly round: number;
  /** The round whose lease holds now, and the timer of that lease. */
  readonly leaseRound: number;
  readonly leaseTimer: string;
}

/** What a voter is asked for, in one election. */
export interface RestRequest {
  readonly leader: MemberId;
  readonly life: string;
  readonly mark: string;
  readonly promiseMs: number;
  /** The round for which this request stands. */
  readonly round: number;
}

/** A round that was sent while the election rested, and whose lease has not ended. */
export interface SentRound {
  readonly round: number;
  readonly sentAtMs: number;
}

/** What happened while the election rested. Rounds are counted as those of the election. */
export type Rested =
  | {
      readonly as: 'leader';
      readonly round: number;
      /** Oldest first. */
      readonly open: readonly SentRound[];
      /** The round that carries the lease; null if the lease has ended. */
      readonly lease: SentRound | null;
      /** When the lease was last renewed. */
      readonly renewedAtMs: number;
      /** The newest round that each voter answered while it rested too. */
      readonly answered: Readonly<Record<string, number>>;
    }
  | {
      readonly as: 'follower';
      /** The newest round that was heard, and when. */
      readonly heard: SentRound;
    };

/** A timer that goes on as if it had been set at that moment; null: now. */
export interface ResumedTimer<T extends string = string> {
  readonly timer: T;
  readonly delayMs: Delay;
  readonly sinceMs: number | null;
}

/** This value, or an equal one that another election has. */
export type Same = <V extends Json>(value: V) => V;

export interface Resting<S = unknown, M extends Message = Message, T extends string = string> {
  /** The timer at which a leader that has nothing to do may rest in place of sending a heartbeat. */
  readonly timer: T;
  /** What this leader rests on; null if it has more to do than to renew its lease. */
  offer(state: S): RestOffer | null;
  /** May this follower rest: has it nothing to do but to renew the promise that it gave to that very leader? */
  accepts(state: S, request: RestRequest): boolean;
  /** The newest round that carries a lease, given the newest one that was sent and the newest one of each other voter. */
  carried(state: S, round: number, answeredBy: (voter: MemberId) => number): number;
  /** Goes on as if every round had been sent, heard and answered by messages of its own. */
  wake(state: S, rested: Rested, out: Effect<M, T>[]): readonly ResumedTimer<T>[];
  /**
   * Replaces values of the state that are never changed by equal ones: thousands of elections have the same members. The
   * content of the state stays as it is.
   */
  share?(state: S, same: Same): void;
}
