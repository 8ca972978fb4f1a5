import type { Property } from '../../src/core/index.ts';
import type { Bounds } from '../../src/exploration/index.ts';

/** What the explorer looks at for a planted bug: three members, and only what that kind of bug needs. */
export interface Hunt {
  readonly about: string;
  readonly properties: readonly Property[];
  readonly bounds: Partial<Bounds>;
}

export type HuntName = 'leases' | 'transfers';

const none = { version: 0 };

/** In the order in which they are tried: those that take least first. */
export const hunts: Readonly<Record<HuntName, Hunt>> = {
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
};
