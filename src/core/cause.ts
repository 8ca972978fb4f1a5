/**
 * Why a leadership began, changed or ended. These words stand in the API, the history and the metrics; words are added, but none
 * ever changes.
 */
export const CAUSES = [
  /** Nothing has happened yet, or an election was called for. */
  'started',
  'won',
  /** A member hears of a leader that was elected some time ago, or is told of it by another member than the leader. */
  'learned',
  'resigned',
  'transferred',
  /** No majority answered in time, and the lease ran out. */
  'lease-expired',
  /** No majority has answered for a whole time-out. */
  'lost-quorum',
  /** Another member leads with a newer token. */
  'deposed',
  'event-loop-blocked',
  /** The machine was asleep. */
  'suspended',
  'removed',
  /** What is behind the election cannot be reached. */
  'store-unreachable',
  'closed',
] as const;

export type Cause = (typeof CAUSES)[number];

/** A cause, and a sentence for people ("the event loop was blocked for 4.2 s"). */
export interface Why {
  readonly cause: Cause;
  readonly detail: string;
}
