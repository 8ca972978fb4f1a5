import type { Election } from './election.ts';
import type { LogEntry } from './log-entry.ts';
import type { Seat } from './seat.ts';

/** What elections run on: a member, or a store that can hold a lease. */
export interface Engine {
  /**
   * Our place in the election of this name. A second call before the seat is closed gets the same seat or is refused,
   * never a second seat.
   */
  seat(election: string): Seat;
  /** Called for every election opened on this engine, if the engine needs to know. */
  opened?(election: Election): void;
  /** Gets what elections on this engine have to say. Without it, their warnings go to `process.emitWarning`. */
  readonly log?: ((entry: LogEntry) => void) | undefined;
}
