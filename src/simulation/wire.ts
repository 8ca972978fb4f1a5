import type { MemberId } from '../core/index.ts';
import type { Closing, ConnectionId, DeathReport, Identity, Refused } from '../peers/index.ts';

/** What travels over a simulated connection, besides the messages of protocols. */
export type WireFrame =
  | { readonly type: 'hello'; readonly identity: Identity }
  | { readonly type: 'refused'; readonly refused: Refused }
  | { readonly type: 'ping' }
  | { readonly type: 'pong' }
  | { readonly type: 'probe' | 'probe-answer'; readonly poll: number }
  /** Asks the process at the other end to prove that it is the one behind the local socket, and its answer. */
  | { readonly type: 'token' | 'confirmed' }
  /** Reports the death of a process of the sender's host. */
  | { readonly type: 'witnessed'; readonly report: DeathReport }
  | { readonly type: 'close'; readonly closing: Closing };

/** What is at one end of a connection: a process of a member, or a stranger. */
export interface WireOwner {
  /** Where it is in the network. */
  readonly at: MemberId;
  /** A frame has arrived, in the order in which it was sent. */
  onFrame(end: WireEnd, frame: WireFrame): void;
}

/**
 * One end of a connection. It is open as long as its own side believes so: if the other side has closed and the news
 * is still in flight, or never comes, the connection is half-open.
 */
export class WireEnd {
  readonly number: ConnectionId;
  readonly owner: WireOwner;
  isOpen = true;
  /** Its own side has closed it, and knows it no longer. */
  isForgotten = false;
  /** Messages that arrive here are accepted. */
  isAccepted = false;
  /** Frames in flight to this end, the oldest first, and when each is due. */
  readonly incoming: { readonly frame: WireFrame | null; readonly dueUs: number }[] = [];
  #other: WireEnd | null = null;

  constructor(number: ConnectionId, owner: WireOwner) {
    this.number = number;
    this.owner = owner;
  }

  get other(): WireEnd {
    return this.#other!;
  }

  static join(one: WireEnd, other: WireEnd): void {
    one.#other = other;
    other.#other = one;
  }
}
