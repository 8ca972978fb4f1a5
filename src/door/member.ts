/** A member as its program sees it. What the API, the elections and the links use of it besides is not shown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type {
  CertificateStatus,
  ElectionPort,
  LinkStatus,
  MembershipPort,
  Peer,
  Refusal,
} from '../api/index.ts';
import type { TokenOption } from '../auth/index.ts';
import type { MemberId, Outcome } from '../core/index.ts';
import type { Election, ElectionOptions, Partition, PartitionOptions, Seat } from '../election/index.ts';
import type { ChangedOptions, ChangedTiming } from '../protocols/index.ts';

/** What every member has, also one in a thread of its own. */
interface AnyMember {
  readonly id: MemberId;
  readonly cluster: string;
  /** Where the other members reach it. */
  readonly url: string;
  /** The election that is meant where none is named. */
  readonly mainElection: string;
  /** One of the elections of this member, to observe or to lead. The same object for the same name, until it is closed. */
  election(name?: string, options?: ElectionOptions): Election;
  /** Shards, each owned by one of all members that take part: `member.partition('orders', { shards: 64 })`. */
  partition(name: string, options: PartitionOptions): Partition;
  /** The place of this member in an election, for programs that do not need `Election`. */
  seat(name?: string): Seat;
  /**
   * Leaves: the work of leaders is told to stop and waited for, leaderships are released, and only then the
   * connections close. Settles when nothing of this member is left.
   */
  close(): Promise<void>;
  /** The same at the end of a block, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A member in a thread of its own. Everything else of it is reached over HTTP. */
export interface IsolatedMember extends AnyMember {
  /** The commands that change its cluster. They reject with `E_REFUSED` where members are not changed by operators. */
  readonly membership: MembershipCommands;
}

/** One member: its elections, its connections and its API. */
export interface Member extends AnyMember {
  /** All configured or registered voters, this one included. */
  readonly voters: readonly Peer[];
  /** Its connections to the other members. */
  readonly links: readonly LinkStatus[];
  /** Why this member cannot do its part (its health error, for example a full disk), or null. */
  readonly illness: string | null;
  /** Its certificate, and how long that lasts; null without TLS. */
  readonly certificate: CertificateStatus | null;
  /** How many messages, requests and files it refused, by reason. */
  readonly refusals: Readonly<Record<Refusal, number>>;
  /** The elections that are open, as this member sees them. */
  readonly elections: readonly ElectionStatus[];
  /** The members of the cluster, and what changes them. Null where members are not changed by operators. */
  readonly membership: Membership | null;
  /** Calls back after every change of anything above. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
  /** Answers a request to the API of this member. Mount it on your own server, or let the member listen. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same for the connections of other members. False if the request is not for this member. */
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
  /** Replaces the tokens of operators. Throws BadInput, and keeps the old ones, if these cannot be used. */
  setTokens(tokens: readonly TokenOption[]): void;
  /**
   * Replaces the secrets of a member that was started with one; connections stay open. Throws BadInput, and keeps the
   * old ones, if these cannot be used.
   */
  setSecret(secret: string | readonly string[]): void;
  /** Reads the secret file again now. It is also read again within a second or two after each change. */
  readonly reloadSecret: () => void;
  /** Reads the files of `tls` again now. They are also read again within a second or two after each change. */
  readonly reloadTls: () => void;
}

/** An election as a member sees it. */
export type ElectionStatus = Pick<
  ElectionPort,
  'name' | 'protocol' | 'view' | 'acting' | 'token' | 'expiresInMs' | 'history' | 'earlier' | 'subscribe'
>;

/** The commands that change the cluster of a member. */
export interface MembershipCommands
  extends Pick<MembershipPort, 'add' | 'remove' | 'replace' | 'drain' | 'pause'> {
  /**
   * Sets other times (a preset such as "wan", or some times by name), or options. Throws BadInput for those that cannot
   * be used.
   */
  reconfigure(change: {
    readonly timing?: ChangedTiming;
    readonly options?: ChangedOptions;
  }): Promise<Outcome>;
}

/** The members of the cluster, and the commands that change them. */
export interface Membership
  extends Omit<MembershipPort, 'pendingIn' | 'isRemoved' | 'reconfigure'>,
    MembershipCommands {}
