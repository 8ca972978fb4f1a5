import type { Property } from '../../src/core/index.ts';
import type { Bounds } from '../../src/exploration/index.ts';

/** What the explorer looks at for a planted bug: three members, and only what that kind of bug needs. */
export interface Hunt {
  readonly about: string;
  readonly properties: readonly Property[];
  /** Of the three; where only some may lead, there is less to look at. */
  readonly priorities?: readonly [number, number, number];
  readonly bounds: Partial<Bounds>;
}

export type HuntName = 'votes' | 'leases' | 'transfers' | 'empty disks' | 'terms';

const none = { version: 0 };

/** In the order in which they are tried: those that take least first. */
export const hunts: Readonly<Record<HuntName, Hunt>> = {
  votes: {
    about: 'one term, one crash',
    properties: ['S2'],
    bounds: { terms: 1, crashes: 1, unsynced: false, counters: none },
  },
  leases: {
    about: 'two terms, six timers',
    properties: ['S10'],
    bounds: { terms: 2, crashes: 0, timers: 6, counters: none },
  },
  transfers: {
    about: 'two terms, five timers, one transfer',
    properties: ['S10'],
    bounds: {
      terms: 2,
      crashes: 0,
      timers: 5,
      counters: { ...none, round: 3 },
      commands: { most: 1, types: ['transfer'] },
    },
  },
  'empty disks': {
    about: 'one term, six timers, one crash that may empty the disk',
    properties: ['S1'],
    bounds: { terms: 1, crashes: 1, amnesia: 1, unsynced: false, timers: 6, counters: none },
  },
  terms: {
    about: 'three terms, eight timers, one member that never leads',
    properties: ['S10'],
    priorities: [1, 0, 1],
    bounds: { terms: 3, crashes: 0, timers: 8, counters: none },
  },
};
