/** What the API needs to know of a member and of its elections. A member, and a participant in an election on a store, implement it. */
import type { Command, Definition, MemberId, Message, Outcome, View } from '../core/index.ts';
import type { Change } from '../host/index.ts';

export type { Change };

/** A peer that can be reached. */
export interface Peer {
  readonly id: MemberId;
  readonly url: string;
}

/** How the messages of a member reach one of its peers. */
export interface LinkStatus {
  readonly id: MemberId;
  readonly url: string;
  /** How messages reach it: over a lasting connection, by POST, or not at all at the moment. */
  readonly via: 'link' | 'post' | 'none';
  /** Of the last round trip, in milliseconds; null as long as there was none. */
  readonly roundTripMs: number | null;
  readonly queued: number;
  readonly sent: number;
  readonly received: number;
  /** Messages that were given up: the queue was full, or the peer could not be reached. */
  readonly dropped: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** One election as the HTTP API and the command see it. */
export interface ElectionPort {
  readonly name: string;
  readonly protocol: string;
  /** What the member last reported; it may be behind the clock, `acting` is not. */
  readonly view: View;
  /** May this member act, at this moment of the clock? */
  readonly acting: boolean;
  /** Of the leader in `view`; null where a protocol has no terms or there is no leader. */
  readonly token: bigint | null;
  /** How long this member may act without being heard of, at this moment; null if it may not, or has no lease. */
  readonly expiresInMs: number | null;
  /** Oldest first, bounded. */
  readonly history: readonly Change[];
  command(command: Command): Promise<Outcome>;
  /**
   * A message that came by POST, as it came. Returns what the protocol sent back to that member at once, which is not sent again. Throws
   * RefusedMessage for one that has not the shape of its type, or that no honest member can have sent.
   */
  receive(from: MemberId, message: Message): readonly Message[];
  /** What the protocol answers to a message without fields when a client asks that is no voter. */
  ask(type: string): readonly Message[];
  /** Is called after every change of `view` or `acting`. Returns how to stop. */
  subscribe(listener: () => void): () => void;
}

/** What a message, a request or a file was refused for: counted in the metrics. */
export type Refusal =
  | 'not-json'
  | 'too-large'
  | 'unknown-type'
  | 'bad-shape'
  | 'unknown-member'
  | 'other-cluster'
  | 'other-rules'
  | 'same-id'
  /** No honest member can have sent it. */
  | 'impossible'
  /** Its sender changes more than an honest member does. */
  | 'too-fast'
  /** It came by POST in the name of a member that has a connection of its own. */
  | 'linked';

/** A message that was not taken, and of which nothing was saved or passed on. */
export class RefusedMessage extends Error {
  readonly kind: Refusal;

  constructor(kind: Refusal, reason: string, cause?: Error) {
    super(reason, { cause });
    this.kind = kind;
  }
}

export function noRefusals(): Record<Refusal, number> {
  return {
    'not-json': 0,
    'too-large': 0,
    'unknown-type': 0,
    'bad-shape': 0,
    'unknown-member': 0,
    'other-cluster': 0,
    'other-rules': 0,
    'same-id': 0,
    impossible: 0,
    'too-fast': 0,
    linked: 0,
  };
}

/** A member as the HTTP API and the command see it. */
export interface MemberPort {
  readonly id: MemberId;
  readonly url: string;
  readonly cluster: string;
  /** The protocol of its elections; null where they are held on a store, whose participants send each other nothing. */
  readonly definition: Definition | null;
  readonly incarnation: number;
  readonly startedAtMs: number;
  /** The election that the paths without a name mean. */
  readonly mainElection: string;
  /** All voters that are configured or were registered, this one included. */
  readonly voters: readonly Peer[];
  readonly links: readonly LinkStatus[];
  /** Null, or why this member cannot do its part (its disk is full, say). */
  readonly illness: string | null;
  readonly elections: readonly ElectionPort[];
  /** The election of this name; it is opened, as a voter, if it is not open yet. Throws BadInput for a bad name. */
  electionPort(name: string): ElectionPort;
  /** A voter made itself known (seed 002). Refused, with the reason, if its URL may not be called. */
  registerVoter(
    voter: Peer,
  ): { readonly accepted: true } | { readonly accepted: false; readonly reason: string };
  readonly refusals: Readonly<Record<Refusal, number>>;
  /** Counts it, and tells people if it is said of whom and why. */
  countRefusal(refusal: Refusal, told?: { readonly from: string; readonly reason: string }): void;
  /** A message of this voter came by POST. */
  heardByPost?(from: MemberId): void;
  /** Is called after every change of anything above. */
  subscribe(listener: () => void): () => void;
}
