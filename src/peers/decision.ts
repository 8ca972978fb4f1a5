import type { ClusterRecovery, Delay, MemberId } from '../core/index.ts';
import type { ConnectionId } from './event.ts';
import type { Identity, ProcessIdentity } from './identity.ts';
import type { Refused } from './objection.ts';
import type { DeathReport, Disbelief } from './witness.ts';

/** What the host of the state machine must do, in this order. */
export type Decision =
  /** From now on, messages over this connection are the peer's. */
  | { readonly type: 'accept'; readonly connection: ConnectionId; readonly peer: MemberId }
  /** Sends our own greeting. */
  | { readonly type: 'greet'; readonly connection: ConnectionId }
  /** Sends the reason to the other side, and closes. */
  | { readonly type: 'refuse'; readonly connection: ConnectionId; readonly refused: Refused }
  /** Tells the other side about a refusal that concerns it; the connection stays open. */
  | { readonly type: 'warn'; readonly connection: ConnectionId; readonly refused: Refused }
  /** Closes in an orderly way: frames sent before still arrive, and frames of the other side are still read. */
  | {
      readonly type: 'close';
      readonly connection: ConnectionId;
      readonly why: string;
      /** What the other side is told: with `duplicate`, that another connection to it stays. */
      readonly says: 'goodbye' | 'duplicate';
    }
  /** Closes at once. */
  | { readonly type: 'terminate'; readonly connection: ConnectionId; readonly why: string }
  /** From now on, messages for the peer go over this connection; null: they wait. */
  | { readonly type: 'use'; readonly peer: MemberId; readonly connection: ConnectionId | null }
  /** From now on, messages for the peer go by POST. */
  | { readonly type: 'use-rest'; readonly peer: MemberId }
  /** Messages that wait for the peer are dropped. The reason is logged, if it is new. */
  | { readonly type: 'unreachable'; readonly peer: MemberId; readonly reason: string | null }
  | { readonly type: 'dial' | 'abort-dial'; readonly peer: MemberId }
  | { readonly type: 'set-timer'; readonly timer: string; readonly delayMs: Delay }
  | { readonly type: 'cancel-timer'; readonly timer: string }
  | { readonly type: 'ping'; readonly connection: ConnectionId }
  /** Asks for an answer within this time; `probed` follows in any case. */
  | {
      readonly type: 'probe';
      readonly connection: ConnectionId;
      readonly poll: number;
      readonly withinMs: number;
    }
  /** Asks the process at the other end to prove that it runs on this kernel; `met` follows if it does. */
  | { readonly type: 'meet'; readonly connection: ConnectionId; readonly localSocket: string }
  /** Checks a process of this kernel; `seen` follows at once. */
  | {
      readonly type: 'look';
      readonly peer: MemberId;
      readonly look: number;
      readonly process: ProcessIdentity;
    }
  /** This member, which belongs to no cluster yet, takes over the recovery of the one that it has met. */
  | { readonly type: 'adopt'; readonly recovery: ClusterRecovery }
  /** A connection to this process is open. */
  | { readonly type: 'up'; readonly peer: Identity }
  /** The process has proven that it runs on this kernel. */
  | { readonly type: 'local'; readonly peer: Identity }
  /**
   * The last connection to this process is closed. `isAbandoned`: the other side closed it, without saying that it
   * lives on.
   */
  | {
      readonly type: 'down';
      readonly peer: Identity;
      readonly reason: string;
      readonly isAbandoned: boolean;
    }
  /** For the log: another process came under this id, and the earlier one lives. */
  | { readonly type: 'shared'; readonly before: Identity; readonly now: Identity }
  /** For the log: a connection or a frame was refused, by either side. */
  | { readonly type: 'tell'; readonly about: About; readonly verdict: Verdict; readonly refused: Refused }
  /** Tells the member at the other end that a process of this host is gone. It leaves before anything else is done about it. */
  | { readonly type: 'attest'; readonly connection: ConnectionId; readonly report: DeathReport }
  /** For the log: a report of a witness has no effect. */
  | {
      readonly type: 'disbelieve';
      readonly witness: MemberId;
      readonly report: DeathReport;
      readonly why: Disbelief;
    }
  /**
   * For the protocols. With `proof`, the process of this life can never act again; another one of the same id may.
   * `witness`: the process that has seen it, if this member has not.
   */
  | {
      readonly type: 'gone';
      readonly peer: MemberId;
      readonly proof: boolean;
      readonly life: string;
      readonly witness?: MemberId;
    }
  | { readonly type: 'back'; readonly peer: MemberId };

/**
 * `refused`: this side refused the other one, or a frame of it. `refuses-us`: the other side refused this process.
 * `warns-us`: the other side keeps this connection, and told that another process uses our id.
 */
export type Verdict = 'refused' | 'refuses-us' | 'warns-us';

/** The other side of the refused connection or frame. */
export type About =
  | { readonly connection: ConnectionId }
  /** The server at the URL of this peer. */
  | { readonly peer: MemberId }
  | { readonly process: Identity };

export type Decide = (decision: Decision) => void;
