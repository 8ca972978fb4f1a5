import type { MemberId } from '../core/index.ts';
import type { Identity } from './identity.ts';
import type { Refused } from './objection.ts';
import type { DeathReport, HostIdentity } from './witness.ts';

/** A connection, by a number that its host gives to no other. */
export type ConnectionId = number;

/** How a connection was closed, as far as this side can tell. */
export type Closing =
  /** This side closed it: the other side was silent, or violated the wire protocol. */
  | 'by-us'
  /** The other side said that it closes this connection, and lives on. */
  | 'goodbye'
  /** The other side said that it keeps another connection to us. */
  | 'duplicate'
  /** The other side said that its member stops. */
  | 'leaving'
  /** Closed without a goodbye, as the system does for a process that has died. */
  | 'ended'
  /** The same by a reset. A system also sends one for a process that died with unread data; so do firewalls. */
  | 'reset';

/** Closed by the other side, without saying that it lives on. */
export function isAbandoned(closing: Closing): boolean {
  return closing === 'leaving' || closing === 'ended' || closing === 'reset';
}

/** Everything that can happen to the connections of a member. */
export type PeerEvent =
  | { readonly type: 'peer-added' | 'peer-removed'; readonly peer: MemberId }
  /** It has another URL from now on. */
  | { readonly type: 'peer-moved'; readonly peer: MemberId }
  /** The other side opened a connection. */
  | { readonly type: 'accepted'; readonly connection: ConnectionId }
  /** This side opened a connection, as decided. */
  | { readonly type: 'dialled'; readonly peer: MemberId; readonly connection: ConnectionId }
  /** `isRefused`: what is there was told already, and only an operator can fix it. */
  | {
      readonly type: 'dial-failed';
      readonly peer: MemberId;
      readonly reason: string;
      readonly isRefused?: boolean;
    }
  /** There is a server at its URL that keeps no connections: it speaks only REST. */
  | { readonly type: 'dial-found-rest'; readonly peer: MemberId }
  /** The REST-only voter does not answer any more. */
  | { readonly type: 'rest-failed'; readonly peer: MemberId }
  | { readonly type: 'greeted'; readonly connection: ConnectionId; readonly identity: Identity }
  /** A frame could not be parsed, or was not allowed at this point. */
  | { readonly type: 'bad-frame'; readonly connection: ConnectionId; readonly refused: Refused }
  /** The other side says that it refuses us, or that its id is used twice. */
  | { readonly type: 'refused'; readonly connection: ConnectionId; readonly refused: Refused }
  | {
      readonly type: 'closed';
      readonly connection: ConnectionId;
      readonly closing: Closing;
      readonly reason: string;
    }
  /** Time for a ping on every connection. */
  | { readonly type: 'ping-due' }
  /** The ping was answered. */
  | { readonly type: 'pong'; readonly connection: ConnectionId }
  /** The other side answered a probe, or did not in time. */
  | {
      readonly type: 'probed';
      readonly connection: ConnectionId;
      readonly poll: number;
      readonly answered: boolean;
    }
  /** The process at the other end has proven that it runs on this kernel. */
  | { readonly type: 'met'; readonly connection: ConnectionId }
  /** A message came by POST under the id of this peer. */
  | { readonly type: 'posted'; readonly peer: MemberId }
  /** The answer to `look`: with `isDead`, that process can never run another instruction of its program. */
  | { readonly type: 'seen'; readonly peer: MemberId; readonly look: number; readonly isDead: boolean }
  /** The member at the other end reports that a process of its host is gone. */
  | { readonly type: 'witnessed'; readonly connection: ConnectionId; readonly report: DeathReport }
  /** The same of a witness that is no member; `host` is where it says that it runs. */
  | {
      readonly type: 'reported';
      readonly witness: MemberId;
      readonly host: HostIdentity;
      readonly report: DeathReport;
    }
  | { readonly type: 'timer'; readonly timer: string };
