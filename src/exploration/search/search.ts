import type { Findings } from './findings.ts';
import type { Sightings } from './sightings.ts';
import type { States } from './state-store.ts';

/** How far a search has come. */
export interface Progress {
  /** States that were looked at. */
  readonly states: number;
  readonly transitions: number;
  /** States that wait to be looked at. */
  readonly frontier: number;
}

/** One way to go through a space. */
export interface Search {
  readonly states: States;
  readonly findings: Findings;
  readonly sightings: Sightings;
  readonly progress: Progress;
  /** How many transitions led past a bound. */
  readonly beyond: number;
  /** Nothing is left to look at. */
  readonly isDone: boolean;
  /** Between the actions, members go round their loops and send all that they can. */
  readonly settles: boolean;
  /** Looks at up to so many states more. False once it goes no further. */
  advance(states: number): boolean;
}
