/**
 * Why a leadership began, changed or ended. These words are part of the API, the history and the metrics; words may
 * be added, but none ever changes.
 */
export const CAUSES = [
  /** There has been no leader yet, or an election was requested. */
  'started',
  'won',
  /** A member hears of a leader that was elected some time ago, or hears of it from a member other than the leader. */
  'learned',
  'resigned',
  'transferred',
  /** No majority answered in time, and the lease expired. */
  'lease-expired',
  /** Nothing was heard of the leader for too long, in a protocol without leases. */
  'silent',
  /** No majority has answered for a full timeout. */
  'lost-quorum',
  /** Another member leads with a newer token. */
  'deposed',
  'event-loop-blocked',
  /** The machine was asleep. */
  'suspended',
  'removed',
  /** The other members refuse this process: its id is taken, or its settings are not theirs. */
  'refused',
  /** An operator made this member a cluster of its own, since too many others were lost (`caucus recover`). */
  'recovered',
  /** The store of the election cannot be reached. */
  'store-unreachable',
  /** The leader lives but cannot do its work: its health check or its preparation failed. */
  'unhealthy',
  /** The disk of the leader does not take writes. */
  'disk-failed',
  'closed',
] as const;

export type Cause = (typeof CAUSES)[number];

/** A cause, and a sentence for people ("the event loop was blocked for 4.2 s"). */
export interface Why {
  readonly cause: Cause;
  readonly detail: string;
}
