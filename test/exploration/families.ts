/**
 * The ways in which `quorum` was once broken, each as an exploration that finds it: who takes part, a script that leads to
 * where it gets interesting, and what is tried from there. None of them names what a message holds, so they can be put to
 * any version of the protocol, and to one with a planted bug.
 */
import {
  type Command,
  type Definition,
  type MemberId,
  type Property,
  readSettings,
} from '../../src/core/index.ts';
import {
  type Bounds,
  type Direction,
  Explorer,
  type Exploring,
  type Script,
  type Setup,
} from '../../src/exploration/index.ts';
import type { Patch } from '../support/plant.ts';

export interface Family {
  readonly about: string;
  readonly members: readonly Setup[];
  readonly script: Script;
  readonly bounds: Partial<Bounds>;
  /** What is tried in every run of the tests, where all of it takes too long: as much as is needed to find the break. */
  readonly quick?: Partial<Bounds>;
  readonly properties: readonly Property[];
  /** The rule of today that stands against it, taken out of today's source. */
  readonly planted: readonly Patch[];
}

export type FamilyName =
  | 'leases outlive memberships'
  | 'a commit counts a lost disk'
  | 'a lost disk meets an uncommitted removal'
  | 'a lost disk meets a member that missed a return'
  | 'an empty disk forgets what it was told'
  | 'a vote for an earlier process counts';

const fire = (timer: string, ...members: readonly MemberId[]): Direction[] =>
  members.map((member) => ({ do: 'fire', member, timer }));
const ask = (member: MemberId, command: Command): Direction => ({ do: 'ask', member, command });
const talk = (...among: readonly MemberId[]): Direction => ({ do: 'talk', among });
const say = (types: readonly string[], ...among: readonly MemberId[]): Direction => ({
  do: 'talk',
  among,
  types,
});
const lose: Direction = { do: 'lose' };
const cut = (from: MemberId, ...to: readonly MemberId[]): Direction[] =>
  to.map((each) => ({ do: 'lose', from, to: each }));
const wipe = (member: MemberId): Direction[] => [
  { do: 'crash', member },
  { do: 'restart', member, amnesia: true },
];

/** Only these members may lead: where fewer ask for votes there is less to try. */
function setups(count: number, leaders: readonly number[], outside: readonly number[] = []): Setup[] {
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    settings: { priority: leaders.includes(i + 1) ? 1 : 0 },
    outside: outside.includes(i + 1),
  }));
}

/** Few heartbeats in a timeout: a disk that is silent for some three rounds loses its seat. */
const TIMING: Readonly<Record<string, number>> = { heartbeatMs: 120 };

/** 1 leads in term 1, all of these have committed a value in it, and the lease was renewed since. */
export function led(...members: readonly number[]): Direction[] {
  return [
    ...fire('promise', ...members),
    ask(1, { type: 'campaign' }),
    talk(...members),
    ask(1, { type: 'publish', value: 'x' }),
    ...renewed(...members),
  ];
}

/** A seat counts whatever disk answers under its name: members are their names. */
const byName: Patch = {
  file: 'protocols/quorum/seats',
  from: 'members.filter(({ id, disk }) => disk !== null && supporters[id] === disk)',
  to: 'members.filter(({ id }) => supporters[id] !== undefined)',
};

/** What is under way arrives, and the leader renews its lease. */
function renewed(...members: readonly number[]): Direction[] {
  return [talk(...members), ...fire('heartbeat', 1), talk(...members)];
}

const preVotes: readonly string[] = ['pre-vote', 'pre-vote/answer'];
const heartbeats: readonly string[] = ['heartbeat', 'heartbeat/answer'];
const publications: readonly string[] = ['publish/send', 'publish/answer', 'publish/commit', 'publish/copy'];

export const families: Readonly<Record<FamilyName, Family>> = {
  'leases outlive memberships': {
    about: '1 leads by the word of 2; 2 is removed, then 1; 3, which promised nothing, is left alone',
    members: setups(3, [1, 2, 3]),
    script: [...led(1, 2, 3), ...fire('promise', 3), ...fire('heartbeat', 1), talk(1, 2), lose],
    bounds: {
      terms: 2,
      crashes: 0,
      timers: 1,
      commands: { most: 2, types: ['remove'] },
      counters: { round: 4, version: 4 },
    },
    properties: ['S10'],
    planted: [
      {
        file: 'protocols/quorum/membership',
        from: 'if (s.leaseRound !== null && s.leaseAge !== null && !sameAge(s.leaseAge, register)) return;',
        to: '',
      },
    ],
  },
  'a commit counts a lost disk': {
    about: '2 accepts a value and loses its disk; 3 accepts it later, and 4 is elected by 2 and 5',
    members: setups(5, [1, 4]),
    script: [
      ...led(1, 2, 3, 4, 5),
      ...fire('promise', 2, 3, 4, 5),
      lose,
      ask(1, { type: 'publish', value: 'y' }),
      talk(1, 2),
      ...wipe(2),
      ...cut(1, 2, 4, 5),
      ...cut(2, 1),
    ],
    bounds: {
      terms: 2,
      crashes: 0,
      timers: 2,
      firing: ['promise', 'election'],
      atOnce: [...preVotes, 'vote', 'vote/answer'],
      mute: [...heartbeats, 'publish/copy', 'publish/commit', 'term'],
      commands: { most: 1, types: ['publish'] },
      counters: { round: 3, version: 2 },
    },
    properties: ['R1'],
    planted: [byName],
  },
  'a lost disk meets an uncommitted removal': {
    about: '1 has accepted, alone, that 3 is removed; 3 wins with 2; 2 loses its disk and meets 1',
    members: setups(3, [1, 3]),
    script: [...led(1, 2, 3), ...fire('promise', 2, 3), lose],
    bounds: {
      terms: 2,
      crashes: 1,
      amnesia: 1,
      unsynced: false,
      timers: 4,
      firing: ['promise', 'election', 'quorum'],
      atOnce: preVotes,
      mute: [...heartbeats, 'publish/copy', 'term'],
      commands: { most: 1, types: ['remove'] },
      counters: { round: 3, version: 3 },
    },
    quick: { mute: [...heartbeats, ...publications, 'term'] },
    properties: ['S1'],
    planted: [{ file: 'protocols/quorum/membership', from: 'members.length !== 3 ||', to: 'true ||' }],
  },
  'a lost disk meets a member that missed a return': {
    about: '3 was removed and is added again without a word to 2; 1 loses its disk and meets 2',
    members: setups(3, [1, 2]),
    script: [
      ...led(1, 2, 3),
      ask(1, { type: 'remove', member: 3 }),
      ...renewed(1, 2, 3),
      ...renewed(1, 2, 3),
      ...renewed(1, 2, 3),
      lose,
      ask(1, { type: 'add', member: 3 }),
      say(heartbeats, 1, 2, 3),
      ...fire('promise', 2),
    ],
    bounds: {
      terms: 2,
      crashes: 1,
      amnesia: 1,
      unsynced: false,
      timers: 4,
      firing: ['promise', 'election', 'heartbeat'],
      atOnce: [...preVotes, ...heartbeats],
      mute: ['publish/copy', 'term'],
      commands: { most: 1, types: ['publish'] },
      counters: { round: 7, version: 5 },
    },
    quick: { timers: 3 },
    properties: ['R1'],
    planted: [
      {
        file: 'protocols/quorum/membership',
        from: 'const disk = members.length === 2 ? null : joiner.disk;',
        to: 'const { disk } = joiner;',
      },
    ],
  },
  'an empty disk forgets what it was told': {
    about:
      '5 was just added and is told that 2 lost its disk; it starts again and votes for 1, which has the vote of 2',
    members: setups(5, [1, 4], [5]),
    script: [
      ...fire('promise', 1, 2, 3, 4, 5),
      ask(1, { type: 'campaign' }),
      talk(1, 2, 3, 4),
      ask(1, { type: 'publish', value: 'x' }),
      talk(1, 2, 3, 4),
      ask(1, { type: 'add', member: 5 }),
      say(heartbeats, 1, 5),
      talk(1, 2, 3, 4),
      lose,
      ...fire('promise', 2, 3, 4),
      ...fire('quorum', 1),
      ask(1, { type: 'campaign' }),
      say(preVotes, 1, 2, 3, 4, 5),
      say(['vote'], 1, 2),
      ...cut(1, 2, 3, 4),
      ...wipe(2),
      talk(2, 3, 4, 5),
    ],
    bounds: {
      terms: 2,
      crashes: 1,
      unsynced: false,
      timers: 3,
      firing: ['promise', 'election'],
      atOnce: preVotes,
      mute: [...heartbeats, 'publish/copy', 'publish/send'],
      counters: { round: 2, version: 3 },
    },
    properties: ['S1'],
    planted: [byName],
  },
  'a vote for an earlier process counts': {
    about: '1 asked 2 for its vote and lost its disk; it asks 3 for the same term, and the vote of 2 arrives',
    members: setups(5, [1, 4]),
    script: [
      ...led(1, 2, 3, 4, 5),
      lose,
      ...fire('promise', 2, 3, 4, 5),
      ...fire('quorum', 1),
      ask(1, { type: 'campaign' }),
      say(preVotes, 1, 2, 3, 4, 5),
      say(['vote'], 1, 2),
      ...cut(1, 3, 4, 5),
      ...wipe(1),
      talk(1, 3, 4, 5),
      ...fire('election', 4),
      say([...preVotes, 'term'], 2, 4),
      ...fire('promise', 1),
      ...fire('election', 1),
      say([...preVotes, 'publish/copy'], 1, 3, 5),
      ...cut(1, 2),
    ],
    bounds: {
      terms: 3,
      crashes: 0,
      timers: 3,
      firing: ['promise', 'election'],
      atOnce: preVotes,
      mute: [...heartbeats, 'publish/copy'],
      counters: { round: 3, version: 2 },
    },
    quick: { mute: [...heartbeats, ...publications] },
    properties: ['S10'],
    planted: [
      byName,
      {
        file: 'protocols/quorum/election',
        from: "if (m.to !== s.life || !isMember(s, from) || s.role !== 'candidate'",
        to: "if (!isMember(s, from) || s.role !== 'candidate'",
      },
    ],
  },
};

export interface FamilyExplored {
  /** The promises that were broken. */
  readonly found: readonly Property[];
  readonly states: number;
  /** Nothing within the bounds was left out. */
  readonly complete: boolean;
}

const STATES_AT_A_TIME = 1000;

/** Explores until a promise is broken, or to the end. */
export function exploreFamily(
  family: Family,
  definition: Definition,
  bounds: Partial<Bounds> = {},
): FamilyExplored {
  const explorer = new Explorer(exploringOf(family, definition, bounds));
  while (!explorer.hasBrokenPromise && explorer.advance(STATES_AT_A_TIME)) {
    // Each call looks at some more states.
  }
  const { violations, states, complete } = explorer.result();
  return {
    found: violations.filter(({ claimed }) => claimed).map(({ property }) => property),
    states,
    complete,
  };
}

export function exploringOf(family: Family, definition: Definition, more: Partial<Bounds> = {}): Exploring {
  const { members, script, properties } = family;
  const bounds = { ...family.bounds, ...more };
  const protocol = definition.create({
    timing: readSettings(definition.timing, TIMING, 'timing'),
    options: readSettings(definition.options, { preset: 'lan' }, 'options'),
  });
  return { protocol, members, script, bounds, properties, samples: 0, maxStatesForShortest: 0 };
}
