import type { Findings } from './findings.ts';
import type { Sightings } from './sightings.ts';
import type { States } from './state-store.ts';

/** The progress of a search. */
export interface Progress {
  /** States that were checked. */
  readonly states: number;
  readonly transitions: number;
  /** States that wait to be checked. */
  readonly frontier: number;
}

/** One way to go through a space. */
export interface Search {
  readonly states: States;
  readonly findings: Findings;
  readonly sightings: Sightings;
  readonly progress: Progress;
  /** The distance of the furthest state from the start, in events. */
  readonly depth: number;
  /** How many transitions led past a bound. */
  readonly beyond: number;
  /** No state waits to be checked. */
  readonly isDone: boolean;
  /** Between the events, members go through their loops and send all that they can. */
  readonly settles: boolean;
  /** Checks up to this many further states. False once it goes no further. */
  advance(states: number): boolean;
}
