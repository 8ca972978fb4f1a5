/** The measures by which connections are made, judged and given up. */
export interface PeerOptions {
  /** A connection on which so many pings in a row found no answer is closed. */
  readonly missedPings: number;
  /** How long lies between two pings: for people, who are told how long it was silent. */
  readonly pingMs: number;
  /** The wait before the second attempt to connect, doubled after each, up to the other end; then half of it is drawn. */
  readonly backOffMs: readonly [leastMs: number, mostMs: number];
  /** The wait after the other side has refused us in so many words: only people can mend that. */
  readonly refusedBackOffMs: number;
  /**
   * The wait after a connection was lost. A peer that has died does not answer, and the members that survive it have an election
   * to hold; one that lives connects by itself.
   */
  readonly redialMs: number;
  /** How long the member with the larger id leaves it to the other to connect. */
  readonly yieldMs: number;
  readonly helloMs: number;
  /** How long a connection has to answer when another claims its place. */
  readonly probeMs: number;
  /** How many connections may be open that have not been greeted yet, or were refused. */
  readonly strangers: number;
  /** How many connections one peer may have, while it is being settled which of them stays. */
  readonly connectionsPerPeer: number;
  /** How often a REST-only voter is asked whether it has learnt to keep a connection. */
  readonly restRecheckMs: number;
  /** A connection that the other side closed without a word proves the death of its process: only where nothing in between closes connections. */
  readonly trustConnections: boolean;
}

export const DEFAULT_PEER_OPTIONS: PeerOptions = {
  missedPings: 5,
  pingMs: 1000,
  backOffMs: [10, 1000],
  refusedBackOffMs: 10_000,
  redialMs: 50,
  yieldMs: 50,
  helloMs: 5000,
  probeMs: 1000,
  strangers: 64,
  connectionsPerPeer: 4,
  restRecheckMs: 10_000,
  trustConnections: false,
};
