import type { Bounds } from './explore.ts';

/** What is explored of support, and what it shows of the bugs that are planted there. */
export interface Exploration extends Bounds {
  readonly about: string;
  /** How many states there are, for support as it is; null: too many to wait for in a test. */
  readonly states: number | null;
}

export type ExplorationName =
  | 'a rest again'
  | 'a voter that wakes'
  | 'a resignation beside a rest'
  | 'another process that leads'
  | 'another process that votes'
  | 'two elections, all of it'
  | 'two elections, another leader'
  | 'one election, another voter'
  | 'two elections, wins and resignations';

/** Small ones, which `npm test` explores, and large ones, which only `npm run verify` does. */
export const explorations: Readonly<Record<ExplorationName, Exploration>> = {
  'a rest again': {
    about: 'one election that rests twice: the leader wakes it once, one message is lost',
    elections: 1,
    budget: { passes: 3, beats: 1, rests: 2, wakes: 1, drops: 1 },
    states: 2472,
  },
  'a voter that wakes': {
    about: 'one election: its voter wakes it and may vote for another; one message is lost, one comes twice',
    elections: 1,
    budget: { passes: 4, rests: 1, voterWakes: 1, drops: 1, votes: 1, duplicates: 1 },
    states: 4736,
  },
  'a resignation beside a rest': {
    about: 'two elections at rest, of which one ends by a resignation',
    elections: 2,
    budget: { passes: 3, rests: 2, resigns: 1 },
    states: 1936,
  },
  'another process that leads': {
    about: 'two elections, one start of the process that leads them, which then wins one',
    elections: 2,
    budget: { passes: 3, rests: 3, restarts: 1, wins: 1 },
    states: 2064,
  },
  'another process that votes': {
    about: 'one election, one start of the process that votes, which then may vote for another',
    elections: 1,
    budget: { passes: 4, rests: 2, voterRestarts: 1, beats: 1, votes: 1 },
    states: 3349,
  },
  'two elections, all of it': {
    about: 'two elections that rest three times: either side wakes one, one message is lost',
    elections: 2,
    budget: { passes: 3, beats: 1, rests: 3, wakes: 1, voterWakes: 1, drops: 1 },
    states: null,
  },
  'two elections, another leader': {
    about:
      'two elections, one start of the process that leads them, one message comes twice, three are on their way',
    elections: 2,
    budget: { passes: 3, rests: 3, restarts: 1, wins: 1, duplicates: 1, voterWakes: 1, inFlight: 3 },
    states: null,
  },
  'one election, another voter': {
    about: 'one election, one start of the process that votes, the leader wakes it, one message is lost',
    elections: 1,
    budget: { passes: 4, rests: 2, voterRestarts: 1, wakes: 1, beats: 2, drops: 1, votes: 1 },
    states: null,
  },
  'two elections, wins and resignations': {
    about: 'two elections, one resignation, one win, one message is lost, the voter may vote for another',
    elections: 2,
    budget: { passes: 4, beats: 1, rests: 3, resigns: 1, wins: 1, drops: 1, votes: 1 },
    states: null,
  },
};
