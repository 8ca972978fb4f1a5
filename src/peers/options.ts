import type { TrustedWitnesses } from './witness.ts';

/** Times and limits for opening, judging and closing connections. */
export interface PeerOptions {
  /** A connection with this many unanswered pings in a row is closed. */
  readonly missedPings: number;
  /** The time between two pings: for the log, which says how long the peer was silent. */
  readonly pingMs: number;
  /** The delay before the second attempt to connect, doubled after each, up to the maximum; half of it is random. */
  readonly backOffMs: readonly [leastMs: number, mostMs: number];
  /** The delay after the other side has refused us with a reason: only an operator can fix that. */
  readonly refusedBackOffMs: number;
  /**
   * The delay after a connection was lost. A peer that has died does not answer, and the surviving members have an
   * election to hold; one that lives connects by itself.
   */
  readonly redialMs: number;
  /** How long the member with the larger id waits for the other one to connect. */
  readonly yieldMs: number;
  readonly helloMs: number;
  /** How long a connection has to answer when another claims its place. */
  readonly probeMs: number;
  /** How many connections one peer may have while it is decided which of them stays. */
  readonly connectionsPerPeer: number;
  /** How often a REST-only voter is asked whether it keeps connections now. */
  readonly restRecheckMs: number;
  /**
   * A connection that the other side closed without a goodbye proves the death of its process. Only true if nothing
   * in between closes connections.
   */
  readonly trustConnections: boolean;
  /** The witnesses whose reports prove the deaths of processes of their hosts. Only where members authenticate. */
  readonly trustWitnesses: TrustedWitnesses;
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
  connectionsPerPeer: 4,
  restRecheckMs: 10_000,
  trustConnections: false,
  trustWitnesses: false,
};
