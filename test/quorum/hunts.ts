import type { MemberId, Property } from '../../src/core/index.ts';
import type { Bounds, Direction, Script } from '../../src/exploration/index.ts';

/** What the explorer looks at for a planted bug: three members, and only what that kind of bug needs. */
export interface Hunt {
  readonly about: string;
  readonly properties: readonly Property[];
  readonly bounds: Partial<Bounds>;
  /** The members have deputies, and this happens before the search. */
  readonly deputies?: Script;
  /** How many states there are, for the protocol as it is. */
  readonly states?: number;
}

export type HuntName =
  | 'leases'
  | 'transfers'
  | 'deputies'
  | 'deputies and handovers'
  | 'deputies, handovers and deaths'
  | 'deputies and values';

const none = { version: 0 };

const fire = (timer: string, ...members: readonly MemberId[]): Direction[] =>
  members.map((member) => ({ do: 'fire', member, timer }));
const talk: Direction = { do: 'talk', among: [1, 2, 3] };

/** 1 leads in term 1, 2 is its deputy for term 2 and has the answer of 1, and what was under way is lost. */
const standingBy: Script = [
  ...fire('promise', 1, 2, 3),
  { do: 'ask', member: 1, command: { type: 'campaign' } },
  talk,
  ...fire('heartbeat', 1),
  talk,
  { do: 'lose' },
];
const preVotes: readonly string[] = ['pre-vote', 'pre-vote/answer'];
const quiet: readonly string[] = ['publish/copy', 'probe', 'probe/answer', 'copy'];

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
  deputies: {
    about: 'a deputy stands by; three terms after it, one crash, two pieces of evidence, three timers',
    properties: ['S10'],
    deputies: standingBy,
    states: 17_061,
    bounds: {
      terms: 4,
      crashes: 1,
      unsynced: false,
      evidence: 2,
      timers: 3,
      firing: ['promise', 'election', 'heir', 'lease/#', 'lease/-#'],
      mute: [...quiet, 'heartbeat/answer'],
      atOnce: preVotes,
      counters: { round: 6, version: 2 },
    },
  },
  'deputies and handovers': {
    about: 'a deputy stands by; two terms after it, one transfer or resignation, two timers',
    properties: ['S6', 'S10'],
    deputies: standingBy,
    bounds: {
      terms: 3,
      crashes: 0,
      timers: 2,
      firing: ['promise', 'election', 'heir', 'heartbeat', 'transfer'],
      mute: quiet,
      atOnce: preVotes,
      commands: { most: 1, types: ['transfer', 'resign'] },
      counters: { round: 6, version: 2 },
    },
  },
  'deputies, handovers and deaths': {
    about: 'a deputy stands by; one transfer or resignation, one crash, one piece of evidence, one timer',
    properties: ['S6', 'S10'],
    deputies: standingBy,
    bounds: {
      terms: 3,
      crashes: 1,
      unsynced: false,
      evidence: 1,
      timers: 1,
      firing: ['promise', 'election', 'heir', 'transfer'],
      mute: [...quiet, 'heartbeat/answer', 'term'],
      atOnce: preVotes,
      commands: { most: 1, types: ['transfer', 'resign'] },
      counters: { round: 6, version: 2 },
    },
  },
  'deputies and values': {
    about: 'a deputy stands by; two publications, one crash, one piece of evidence, no timer',
    properties: ['R1'],
    deputies: standingBy,
    bounds: {
      terms: 2,
      crashes: 1,
      unsynced: false,
      evidence: 1,
      timers: 0,
      mute: ['probe', 'probe/answer', 'copy', 'term'],
      atOnce: preVotes,
      commands: { most: 2, types: ['publish'] },
      counters: { round: 4, version: 2 },
    },
  },
};
