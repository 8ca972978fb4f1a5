import type { Delay, MemberId } from '../core/index.ts';
import type { ConnectionId } from './event.ts';
import type { Identity, ProcessIdentity } from './identity.ts';
import type { Refused } from './objection.ts';

/** What the host of the machine is to do, in this order. */
export type Decision =
  /** Messages that come over this connection are the peer's from now on. */
  | { readonly type: 'accept'; readonly connection: ConnectionId; readonly peer: MemberId }
  /** Sends our own greeting. */
  | { readonly type: 'greet'; readonly connection: ConnectionId }
  /** Tells the other side why, and closes. */
  | { readonly type: 'refuse'; readonly connection: ConnectionId; readonly refused: Refused }
  /** Tells the other side of a refusal that concerns it; the connection stays. */
  | { readonly type: 'warn'; readonly connection: ConnectionId; readonly refused: Refused }
  /** Says goodbye: what was sent before still arrives, and what the other side has sent is still read. */
  | {
      readonly type: 'close';
      readonly connection: ConnectionId;
      readonly why: string;
      /** What the other side is told: with `duplicate`, that another connection to it stays. */
      readonly says: 'goodbye' | 'duplicate';
    }
  /** Closes at once. */
  | { readonly type: 'terminate'; readonly connection: ConnectionId; readonly why: string }
  /** Messages for the peer go over this connection from now on; null: they wait. */
  | { readonly type: 'use'; readonly peer: MemberId; readonly connection: ConnectionId | null }
  /** Messages for the peer go by POST from now on. */
  | { readonly type: 'use-rest'; readonly peer: MemberId }
  /** What waits for the peer is given up. People are told the reason, if there is one that they have not been told yet. */
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
  /** Has the process at the other end show that it runs on this kernel; `met` follows if it does. */
  | { readonly type: 'meet'; readonly connection: ConnectionId; readonly localSocket: string }
  /** Looks at a process of this kernel; `seen` follows at once. */
  | {
      readonly type: 'look';
      readonly peer: MemberId;
      readonly look: number;
      readonly process: ProcessIdentity;
    }
  /** A connection to this process stands. */
  | { readonly type: 'up'; readonly peer: Identity }
  /** The process has shown that it runs on this kernel. */
  | { readonly type: 'local'; readonly peer: Identity }
  /** The last connection to this process is closed. `isAbandoned`: the other side closed it, without a word that it lives on. */
  | {
      readonly type: 'down';
      readonly peer: Identity;
      readonly reason: string;
      readonly isAbandoned: boolean;
    }
  /** For people: another process has come under this id, and the one before lives, for it was seen. */
  | { readonly type: 'shared'; readonly before: Identity; readonly now: Identity }
  /** For people: a connection or a frame was refused, by either side. */
  | { readonly type: 'tell'; readonly about: About; readonly refused: Refused }
  /** For the protocols. With `proof`, the process of this life can never act again; another one of the same id may. */
  | { readonly type: 'gone'; readonly peer: MemberId; readonly proof: boolean; readonly life: string }
  | { readonly type: 'back'; readonly peer: MemberId };

/** Where something that was refused came from. */
export type About =
  | { readonly connection: ConnectionId }
  /** What was found at the URL of this peer. */
  | { readonly peer: MemberId }
  | { readonly process: Identity };

export type Decide = (decision: Decision) => void;
