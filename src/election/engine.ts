import type { Election } from './election.ts';
import type { Seat } from './seat.ts';

/** What elections can be held on: a member of ours, or a system that people already run and that can hold a lease. */
export interface Engine {
  /**
   * Our place in the election of this name. Who asks again before it is closed gets the same one or is refused, never a second one
   * beside it.
   */
  seat(election: string): Seat;
  /** Is told of every election on it, where it has to look after them. */
  opened?(election: Election): void;
}
