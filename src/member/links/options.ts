import type { MemberTls, Secrets } from '../../auth/index.ts';
import type { Message } from '../../core/index.ts';
import { DEFAULT_PEER_OPTIONS, type PeerOptions } from '../../peers/index.ts';

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The options of the links. The defaults suit one data centre. */
export interface LinkOptions extends Given<PeerOptions> {
  /** The election that a REST path without a name means; if omitted, every path contains the name. */
  readonly mainElection?: string | undefined;
  /** The path of the links on a member's HTTP port, below the path of its URL. */
  readonly path?: string | undefined;
  /**
   * How many messages may wait for one peer. When there are more, the oldest is dropped. One event may cause a message for
   * each of 10,000 elections: when the disk has saved the votes of all of them, the answers leave together.
   */
  readonly queueMessages?: number | undefined;
  readonly queueBytes?: number | undefined;
  /** How many bytes may be in the socket's buffer at a time; the rest waits in the queue. */
  readonly bufferBytes?: number | undefined;
  /** A larger frame is not sent; receiving one closes the connection. */
  readonly frameBytes?: number | undefined;
  /**
   * How many connections of other processes may be open that have not proven themselves, and how many that have not said who
   * they are, or were refused. If there are more, one of them gives way.
   */
  readonly strangers?: number | undefined;
  readonly connectMs?: number | undefined;
  /** How long an orderly close may take before the socket is destroyed. */
  readonly goodbyeMs?: number | undefined;
  /**
   * How many requests to one REST-only voter may be in flight. With more than one, its messages can overtake each
   * other.
   */
  readonly postsInFlight?: number | undefined;
  readonly postMs?: number | undefined;
  /** A message as an earlier release understands it; if omitted, that is the same message. */
  readonly forEarlierRelease?: ((message: Message, features: readonly string[]) => Message) | undefined;
  /** What members prove themselves with; if omitted, they prove nothing. */
  readonly secrets?: Secrets | null | undefined;
  /** Both sides of every connection show the certificate of a member; if omitted, members do not use TLS. */
  readonly tls?: MemberTls | null | undefined;
}

export type ResolvedLinkOptions = {
  readonly [K in Exclude<keyof LinkOptions, 'mainElection' | 'secrets' | 'tls'>]-?: NonNullable<
    LinkOptions[K]
  >;
} & {
  readonly mainElection: string | null;
  readonly secrets: Secrets | null;
  readonly tls: MemberTls | null;
};

const DEFAULTS: ResolvedLinkOptions = {
  ...DEFAULT_PEER_OPTIONS,
  mainElection: null,
  path: '/link',
  queueMessages: 20_000,
  queueBytes: 4 * 1024 * 1024,
  bufferBytes: 256 * 1024,
  frameBytes: 512 * 1024,
  strangers: 64,
  connectMs: 2000,
  goodbyeMs: 200,
  postsInFlight: 1,
  postMs: 2000,
  forEarlierRelease: (message) => message,
  secrets: null,
  tls: null,
};

export function resolveLinkOptions(given: LinkOptions): ResolvedLinkOptions {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(known) };
}
