import type { Example } from './jobs.ts';

/** Counterexamples that were written by hand, since no random run is likely to meet them, or to tell them so well. */
export const written: readonly (Example & { readonly subject: string; readonly fault: string })[] = [
  {
    subject: 'epoch',
    fault: 'disk',
    // 2 votes for 1, forgets it, and votes again in the same epoch. Two leaders of one epoch take no notice of each other.
    scenario: {
      protocol: 'epoch',
      seed: 1,
      members: 3,
      untilMs: 60_000,
      events: [
        { atMs: 0, do: 'partition', groups: [[1, 2], [3]] },
        { atMs: 100, do: 'fire', member: 1, timer: 'wait' },
        { atMs: 1000, do: 'partition', groups: [[1], [2, 3]] },
        { atMs: 1000, do: 'restart', member: 2, amnesia: true },
        { atMs: 10_000, do: 'heal' },
      ],
    },
    properties: ['S1', 'S10', 'L1'],
    trace: null,
    isShortest: false,
  },
  {
    subject: 'quorum',
    fault: 'disks',
    // 2 and 3 elect one of themselves in term 2, and forget it. Only 1 is left to tell them what they may have promised, and it never
    // heard of that term: so there is another winner of it.
    scenario: {
      protocol: 'quorum',
      options: { preset: 'lan' },
      seed: 1,
      members: 3,
      untilMs: 4000,
      events: [
        { atMs: 1000, do: 'partition', groups: [[1], [2, 3]] },
        { atMs: 2000, do: 'crash', member: 2 },
        { atMs: 2000, do: 'crash', member: 3 },
        { atMs: 2000, do: 'heal' },
        { atMs: 2000, do: 'restart', member: 2, amnesia: true },
        { atMs: 2000, do: 'restart', member: 3, amnesia: true },
      ],
    },
    properties: ['S1', 'S2', 'S6', 'S9'],
    trace: null,
    isShortest: false,
  },
];
