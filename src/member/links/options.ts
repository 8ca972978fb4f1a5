import { DEFAULT_PEER_OPTIONS, type PeerOptions } from '../../peers/index.ts';

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** How the links behave. Every value has a default that suits one data centre. */
export interface LinkOptions extends Given<PeerOptions> {
  /** The election that a REST path without a name means; none, and every path carries the name. */
  readonly mainElection?: string | undefined;
  /** Where the links live on a member's own HTTP port, below the path of its URL. */
  readonly path?: string | undefined;
  /** How much may wait for one peer. The oldest message goes first when it is too much. */
  readonly queueMessages?: number | undefined;
  readonly queueBytes?: number | undefined;
  /** How much of it is handed to the operating system's side at a time; the rest waits in the queue. */
  readonly bufferBytes?: number | undefined;
  /** A larger frame is not sent, and closes the connection that it comes from. */
  readonly frameBytes?: number | undefined;
  readonly connectMs?: number | undefined;
  /** How long a goodbye may take before the socket is simply closed. */
  readonly goodbyeMs?: number | undefined;
  /** How many requests to one REST-only voter may be under way. With more than one its messages can overtake each other. */
  readonly postsInFlight?: number | undefined;
  readonly postMs?: number | undefined;
}

export type ResolvedLinkOptions = {
  readonly [K in Exclude<keyof LinkOptions, 'mainElection'>]-?: NonNullable<LinkOptions[K]>;
} & { readonly mainElection: string | null };

const DEFAULTS: ResolvedLinkOptions = {
  ...DEFAULT_PEER_OPTIONS,
  mainElection: null,
  path: '/link',
  queueMessages: 1000,
  queueBytes: 4 * 1024 * 1024,
  bufferBytes: 256 * 1024,
  frameBytes: 512 * 1024,
  connectMs: 2000,
  goodbyeMs: 200,
  postsInFlight: 1,
  postMs: 2000,
};

export function resolveLinkOptions(given: LinkOptions): ResolvedLinkOptions {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(known) };
}
