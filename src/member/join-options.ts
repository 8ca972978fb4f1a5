import type { IncomingMessage } from 'node:http';
import type { MemberId } from '../core/index.ts';
import type { LogEntry } from '../election/index.ts';
import type { Peer } from './links/links.ts';

export type { LogEntry };

/** How a member is set up. Everything has a default except whom it elects with. */
export interface JoinOptions {
  /** Its name among the voters, never used twice at the same time. Without one: the host's name and something random. */
  readonly id?: MemberId | undefined;
  /** Members of different clusters refuse each other. */
  readonly cluster?: string | undefined;
  /** The election that is meant where none is named. */
  readonly election?: string | undefined;
  /** Where to listen. Port 0 is a free one. Left out: on a free port of the loopback. */
  readonly listen?: { readonly host?: string | undefined; readonly port: number } | undefined;
  /** It listens nowhere: its handlers are mounted on a server of yours, which is reached under `url`. */
  readonly mounted?: boolean | undefined;
  /** Under which URL the others reach this member, where that is not simply where it listens. */
  readonly url?: string | undefined;
  /** The other voters. This one may stand among them. */
  readonly peers?: readonly Peer[] | undefined;
  /** Where other voters may be found by DNS: each address of `host` (with its port), combined with the path `url`. */
  readonly seed?: { readonly host: string; readonly url?: string | undefined } | undefined;
  readonly protocol?: string | undefined;
  readonly timing?: Readonly<Record<string, unknown>> | undefined;
  /** The protocol's own options. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** How much this member is wanted as a leader, when it stands. */
  readonly priority?: number | undefined;
  /** A folder of its own, where it keeps what it must not forget. */
  readonly data?: string | undefined;
  /** Ignored: a member finds out by itself whether it is new. Accepted for programs that were written when it was needed. */
  readonly firstStart?: boolean | undefined;
  /** A closed connection proves that the process behind it is gone: no proxy, no tunnel, no router in between that may lie. */
  readonly trustConnections?: boolean | undefined;
  /** Listens, or is mounted, where other machines can reach it, although members do not authenticate. */
  readonly insecure?: boolean | undefined;
  /**
   * For a mounted member: may this request, or this connection of another member, reach it? With a check of your own it may be
   * mounted where other machines can reach it, without `insecure`.
   */
  readonly allow?: ((request: IncomingMessage) => boolean) | undefined;
  /**
   * Names under which it is called besides those that it knows: its own, those of its peers, and those of this machine. Where it
   * listens on the loopback, a request under any other name comes from a web page that had its own name lead here.
   */
  readonly hosts?: readonly string[] | undefined;
  /** A folder for recordings of what its elections did. */
  readonly record?: string | undefined;
  readonly limits?: Limits | undefined;
  readonly log?: ((entry: LogEntry) => void) | undefined;
}

export interface Limits {
  /** Messages that may wait for one peer. */
  readonly queuedMessages?: number | undefined;
  /** Connections that may be open without having said who they are. */
  readonly strangers?: number | undefined;
  /** Requests that may be under way to one voter that takes no lasting connection. */
  readonly postsInFlight?: number | undefined;
  /** Elections that may be open: 10,000. */
  readonly elections?: number | undefined;
  /** Those of them that were opened by messages and requests of others, and not by this program: 1,000. */
  readonly electionsOfOthers?: number | undefined;
  /** Voters that may make themselves known besides those that are configured: 100. */
  readonly voters?: number | undefined;
  /** Connections that may be open to the server of a member that listens by itself: 2,000. */
  readonly connections?: number | undefined;
  readonly recordBytes?: number | undefined;
}
