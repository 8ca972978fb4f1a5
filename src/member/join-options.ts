import type { IncomingMessage } from 'node:http';
import type { TokenOption } from '../auth/index.ts';
import type { MemberId } from '../core/index.ts';
import type { LogEntry } from '../election/index.ts';
import type { DefaultProtocol, OptionsOf, ProtocolName, TimingOf } from '../protocols/index.ts';
import type { Peer } from './links/links.ts';
import type { TlsOptions } from './tls-options.ts';

export type { LogEntry };

/** The options of a member that do not depend on its protocol. */
interface MemberOptions {
  /** Its name among the voters. No two running members may share one. Default: the host's name and random digits. */
  readonly id?: MemberId | undefined;
  /** Members of different clusters refuse each other. */
  readonly cluster?: string | undefined;
  /** The election that is meant where none is named. */
  readonly election?: string | undefined;
  /** Where to listen. Port 0 means any free port. Default: a free port of the loopback. */
  readonly listen?: { readonly host?: string | undefined; readonly port: number } | undefined;
  /** The member does not listen: its handlers are mounted on a server of yours, which is reached under `url`. */
  readonly mounted?: boolean | undefined;
  /** The URL under which the other members reach this one, if it differs from where it listens. */
  readonly url?: string | undefined;
  /** The other voters. The list may contain this member too. */
  readonly peers?: readonly Peer[] | undefined;
  /**
   * The URL of any member of a running cluster, in place of `peers`: that member tells who the others are. This one
   * votes and leads nothing until an operator adds it (`caucus member add`). Once it was added, its data folder knows
   * the others.
   */
  readonly join?: string | undefined;
  /** Finds other voters by DNS: each address of `host` (with its port), combined with the path `url`. */
  readonly seed?: { readonly host: string; readonly url?: string | undefined } | undefined;
  /** The priority of this member as a candidate. */
  readonly priority?: number | undefined;
  /**
   * Spreads the leaders of all elections but the main one evenly over the members: this one transfers elections, a few a
   * second, to members that lead at least two fewer. Set it on all members. Only with the protocol quorum.
   */
  readonly balance?: boolean | undefined;
  /** Has the leader of the main election elect its successor in advance. Set it on all members. Only with the protocol quorum. */
  readonly deputies?: boolean | undefined;
  /** A folder of its own, where it keeps what must survive a restart. */
  readonly data?: string | undefined;
  /** Ignored: a member finds out by itself whether it is new. Accepted for programs that still pass it. */
  readonly firstStart?: boolean | undefined;
  /**
   * A closed connection proves that the process behind it is dead. Only true if no proxy, tunnel or router in between
   * can close connections.
   */
  readonly trustConnections?: boolean | undefined;
  /**
   * A trusted witness that sees a process of its own host die proves that death to this member: another member on that host, or
   * `caucus witness`. True: all that authenticate themselves; else the ids of those that count. Needs `secret`, `secretFile` or `tls`.
   */
  readonly trustWitnesses?: boolean | readonly MemberId[] | undefined;
  /**
   * The shared secret of the cluster: 16 to 512 printable characters, best of 32 random bytes. Members prove to each
   * other that they know it, and refuse every process that does not. Two while one replaces the other: the first is
   * preferred, both are accepted.
   */
  readonly secret?: string | readonly string[] | undefined;
  /** A file with the secret, or with two, one on each line; only its owner may have access. It is read again when it changes. */
  readonly secretFile?: string | undefined;
  /** Accepts that members do not authenticate although other machines can reach this one. */
  readonly insecure?: boolean | undefined;
  /**
   * The tokens of operators. Without any, commands are open on the loopback, and beyond it only with `insecure`; with
   * at least one, every command needs one.
   */
  readonly tokens?: readonly TokenOption[] | undefined;
  /**
   * Mutual TLS among members, and https for clients: the files of the member's certificate, of its key, and of the CAs.
   * They are read again when they change.
   */
  readonly tls?: TlsOptions | undefined;
  /** Questions need a token too; health checks do not. */
  readonly closed?: boolean | undefined;
  /**
   * For a mounted member: may this request, or this connection of another member, reach it? With a check of your own
   * it may be mounted where other machines can reach it, without `insecure`.
   */
  readonly allow?: ((request: IncomingMessage) => boolean) | undefined;
  /**
   * More host names under which requests are accepted, besides its own, those of its peers, and those of this
   * machine. On the loopback, a request under any other name comes from a web page that made its own name resolve to
   * this machine (DNS rebinding).
   */
  readonly hosts?: readonly string[] | undefined;
  /** A folder for recordings of what its elections did. */
  readonly record?: string | undefined;
  /**
   * Keeps leases for programs that are no members (`caucus://`), beside its own elections. Only with the protocol quorum.
   * `caucus node` does so.
   */
  readonly leases?: boolean | undefined;
  readonly limits?: Limits | undefined;
  /** True: see `IsolatedJoinOptions`. */
  readonly isolate?: false | undefined;
  readonly log?: ((entry: LogEntry) => void) | undefined;
}

/** The protocol of a member, with its times and options. */
interface Rules<P extends ProtocolName> {
  /** Default: `quorum`. The others are for comparison, and promise less. */
  readonly protocol?: P | undefined;
  /** The times of the protocol. The presets of `quorum` are in `options`. */
  readonly timing?: TimingOf<P> | undefined;
  /** The protocol's own options. */
  readonly options?: OptionsOf<P> | undefined;
}

/** The options of a member, with the times and options of its protocol. Everything but the peers has a default. */
export interface JoinOptions<P extends ProtocolName = DefaultProtocol> extends MemberOptions, Rules<P> {}

/** The same before the protocol is known, of which each reads its own times and options. */
export interface AnyJoinOptions extends MemberOptions {
  readonly protocol?: string | undefined;
  readonly timing?: object | undefined;
  readonly options?: object | undefined;
}

interface Isolation {
  /** The member runs in a thread of its own, and renews its leases while the main thread is busy. */
  readonly isolate: true;
  /** A leader whose main thread does not answer for this long resigns (default: 5 s). */
  readonly maxStallMs?: number | undefined;
}

/** The options of a member in a thread of its own. */
export interface IsolatedJoinOptions<P extends ProtocolName = DefaultProtocol>
  extends Omit<MemberOptions, 'isolate' | 'mounted' | 'allow'>,
    Rules<P>,
    Isolation {}

/** The same before the protocol is known. */
export interface AnyIsolatedJoinOptions
  extends Omit<AnyJoinOptions, 'isolate' | 'mounted' | 'allow'>,
    Isolation {}

export interface Limits {
  /** Messages that may wait for one peer. */
  readonly queuedMessages?: number | undefined;
  /** Connections that may be open before the proof and the greeting: 64. If there are more, one of them is closed. */
  readonly strangers?: number | undefined;
  /** Requests that may be in flight to one voter that keeps no connection. */
  readonly postsInFlight?: number | undefined;
  /** Elections that may be open: 10,000. */
  readonly elections?: number | undefined;
  /** Of these, elections that were opened by messages and requests of others: 1,000. */
  readonly electionsOfOthers?: number | undefined;
  /** Voters that may register besides the configured ones: 100. */
  readonly voters?: number | undefined;
  /** Connections that may be open to the server of a member that listens by itself: 2,000. */
  readonly connections?: number | undefined;
  readonly recordBytes?: number | undefined;
}
