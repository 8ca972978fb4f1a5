/** Why a leadership began, changed or ended. These words stand in the API, the history and the metrics, and never change. */
export type Cause =
  /** Nothing has happened yet, or an election was called for. */
  | 'started'
  | 'won'
  | 'resigned'
  | 'transferred'
  /** Nobody answered in time, and the lease ran out. */
  | 'lease-expired'
  /** No majority has answered for a whole time-out. */
  | 'lost-quorum'
  /** Somebody else leads with a newer token. */
  | 'deposed'
  | 'event-loop-blocked'
  /** The machine was asleep. */
  | 'suspended'
  | 'removed'
  /** What is behind the election cannot be reached. */
  | 'store-unreachable'
  | 'closed';
