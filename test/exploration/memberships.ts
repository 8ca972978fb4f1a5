/**
 * Changes of members in `quorum`, explored from the first start on, without a script: which members there are, what may
 * happen, and which of the bugs of earlier versions (families.ts) show within these bounds.
 */
import { type Definition, type Property, readSettings } from '../../src/core/index.ts';
import type { Bounds, Exploring, Setup } from '../../src/exploration/index.ts';
import type { FamilyName } from './families.ts';

export interface Membership {
  readonly about: string;
  readonly members: readonly Setup[];
  readonly bounds: Partial<Bounds>;
  /** Bugs that were seen to show within these bounds. The others show from a script on (families.ts). */
  readonly shows: readonly FamilyName[];
}

export type MembershipName =
  | 'two removals'
  | 'one change, one lost disk'
  | 'removal, lost disk, two leaders'
  | 'a third member joins, one lost disk'
  | 'a lost disk is replaced';

/** A lost disk excludes S2 and S3 from what is promised. */
const PROPERTIES: readonly Property[] = ['S1', 'S6', 'S9', 'S10', 'R1'];

/** Few heartbeats in a timeout: a disk that is silent for three rounds loses its seat. */
const TIMING: Readonly<Record<string, number>> = { heartbeatMs: 120 };

function setups(count: number, outside: readonly number[] = []): Setup[] {
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    settings: { priority: 1 },
    outside: outside.includes(i + 1),
  }));
}

const common: Partial<Bounds> = {
  network: { late: 0, breaks: 'first' },
  terms: 2,
  unsynced: false,
  firing: ['promise', 'election', 'heartbeat', 'quorum'],
  uncounted: ['promise'],
  counters: { round: 4, version: 4 },
};

export const memberships: Readonly<Record<MembershipName, Membership>> = {
  'two removals': {
    about: 'a leader removes one member after the other, while it has a lease',
    members: setups(3),
    bounds: { ...common, crashes: 0, timers: 3, commands: { most: 2, types: ['remove'] } },
    shows: ['leases outlive memberships'],
  },
  'one change, one lost disk': {
    about: 'a member is added or removed or a value is published, and a member loses its disk, in any order',
    members: setups(3),
    bounds: {
      ...common,
      network: { late: 0, breaks: 'any' },
      crashes: 1,
      amnesia: 1,
      timers: 2,
      commands: { most: 1, types: ['add', 'remove', 'publish'] },
    },
    // The second is the same patch. Both show as S1, by a shorter history than that of the family.
    shows: ['a commit counts a lost disk', 'an empty disk forgets what it was told'],
  },
  'removal, lost disk, two leaders': {
    about: 'a member is removed, another leader is elected, a member loses its disk',
    members: setups(3),
    bounds: { ...common, crashes: 1, amnesia: 1, timers: 4, commands: { most: 1, types: ['remove'] } },
    shows: [],
  },
  'a third member joins, one lost disk': {
    about: 'two members add a third and publish a value, and a member loses its disk',
    members: setups(3, [3]),
    bounds: {
      ...common,
      crashes: 1,
      amnesia: 1,
      timers: 3,
      commands: { most: 2, types: ['add', 'publish'] },
    },
    shows: [],
  },
  'a lost disk is replaced': {
    about: 'a member loses its disk; the leader vacates its seat and gives it to the new disk',
    members: setups(3),
    bounds: {
      ...common,
      crashes: 1,
      amnesia: 1,
      timers: 6,
      firing: ['promise', 'election', 'heartbeat'],
      counters: { round: 6, version: 3 },
    },
    shows: [],
  },
};

export function membershipExploring(
  { members, bounds }: Membership,
  definition: Definition,
  more: Partial<Bounds> = {},
): Exploring {
  const protocol = definition.create({
    timing: readSettings(definition.timing, TIMING, 'timing'),
    options: readSettings(definition.options, { preset: 'lan' }, 'options'),
  });
  return {
    protocol,
    members,
    bounds: { ...bounds, ...more },
    properties: PROPERTIES,
    samples: 0,
    maxStatesForShortest: 0,
  };
}
