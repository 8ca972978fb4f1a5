/** How the links behave. Every value has a default that suits one data centre. */
export interface LinkOptions {
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
  readonly pingMs?: number | undefined;
  /** A connection on which so many pings in a row found no answer is closed. */
  readonly missedPings?: number | undefined;
  /** The wait before the second attempt to connect, doubled after each, up to the other end; then half of it is drawn. */
  readonly backOffMs?: readonly [leastMs: number, mostMs: number] | undefined;
  /** The wait after the other side has refused us in so many words: only people can mend that. */
  readonly refusedBackOffMs?: number | undefined;
  /**
   * The wait after a connection was lost. A peer that has died does not answer, and the members that survive it have an election
   * to hold; one that lives connects by itself.
   */
  readonly redialMs?: number | undefined;
  /** How long the member with the larger id leaves it to the other to connect. */
  readonly yieldMs?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly helloMs?: number | undefined;
  /** How long a connection has to answer when another claims its place. */
  readonly probeMs?: number | undefined;
  /** How long a goodbye may take before the socket is simply closed. */
  readonly goodbyeMs?: number | undefined;
  /** How many connections may be open of those who have not said yet who they are, or were refused. */
  readonly strangers?: number | undefined;
  /** How many connections one peer may have, while it is being settled which of them stays. */
  readonly connectionsPerPeer?: number | undefined;
  /** How many requests to one REST-only voter may be under way. With more than one its messages can overtake each other. */
  readonly postsInFlight?: number | undefined;
  readonly postMs?: number | undefined;
  /** How often a REST-only voter is asked whether it has learnt to keep a connection. */
  readonly restRecheckMs?: number | undefined;
}

export type ResolvedLinkOptions = {
  readonly [K in Exclude<keyof LinkOptions, 'mainElection'>]-?: NonNullable<LinkOptions[K]>;
} & { readonly mainElection: string | null };

const DEFAULTS: ResolvedLinkOptions = {
  mainElection: null,
  path: '/link',
  queueMessages: 1000,
  queueBytes: 4 * 1024 * 1024,
  bufferBytes: 256 * 1024,
  frameBytes: 512 * 1024,
  pingMs: 1000,
  missedPings: 5,
  backOffMs: [10, 1000],
  refusedBackOffMs: 10_000,
  redialMs: 50,
  yieldMs: 50,
  connectMs: 2000,
  helloMs: 5000,
  probeMs: 1000,
  goodbyeMs: 200,
  strangers: 64,
  connectionsPerPeer: 4,
  postsInFlight: 1,
  postMs: 2000,
  restRecheckMs: 10_000,
};

export function resolveLinkOptions(given: LinkOptions): ResolvedLinkOptions {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(known) };
}
