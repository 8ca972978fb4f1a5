/**
 * Runs that are directed at one rule each: no random fault finds them soon. The files are scenarios as `caucus simulate` reads
 * them; what is expected of each is said here.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Definition } from '../../src/core/index.ts';
import { readScenario, runWorld } from '../../src/simulation/index.ts';
import type { Shown } from './hunting.ts';

export interface Directed {
  readonly about: string;
  /** How often the lead may change after the first leader. */
  readonly mostChanges?: number;
  /** A leader acts when the run ends. */
  readonly leads?: true;
  /** How many seeds are enough for `npm test`; where most depends on the times that are drawn, more. */
  readonly seeds?: number;
}

export type ScenarioName =
  | 'two-changes-within-a-lease'
  | 'disk-lost-after-accepting'
  | 'disk-lost-beside-a-removal'
  | 'disk-lost-after-a-return'
  | 'disk-lost-after-growing'
  | 'empty-disk-starts-twice'
  | 'candidate-loses-its-disk'
  | 'vote-for-an-earlier-request'
  | 'preferred-reaches-only-the-leader'
  | 'candidate-asks-in-vain'
  | 'joiner-is-down'
  | 'removal-without-a-majority'
  | 'changes-between-promises'
  | 'changes-of-two-leaders'
  | 'voter-loses-its-disk'
  | 'vote-for-an-earlier-process'
  | 'second-process-accepts'
  | 'second-process-takes-the-seat'
  | 'second-process-dies'
  | 'second-process-asks-for-votes'
  | 'second-process-won-before'
  | 'clocks-at-their-worst'
  | 'late-answers'
  | 'leader-shortens-its-lease'
  | 'leader-shortens-its-lease-twice'
  | 'leader-asks-for-less'
  | 'voter-forgets-a-longer-promise'
  | 'timing-changes'
  | 'answer-of-an-earlier-term'
  | 'promised-member-asks'
  | 'promised-member-restarts'
  | 'leader-is-heard-again'
  | 'late-consent'
  | 'late-consent-before-a-lease'
  | 'voter-is-asked-again'
  | 'voter-restarts'
  | 'vote-arrives-twice'
  | 'late-vote-request'
  | 'member-was-away'
  | 'acceptor-restarts'
  | 'commit-meets-another-register'
  | 'late-publication'
  | 'members-restart'
  | 'leader-keeps-one-follower'
  | 'leader-is-called-gone'
  | 'leader-is-cut-off-for-a-moment'
  | 'copy-is-heard-by-one'
  | 'one-of-two-loses-its-disk'
  | 'two-of-three-lose-their-disks'
  | 'disk-lost-beside-a-vacant-seat'
  | 'backup-of-a-smaller-membership'
  | 'deputy-voter-restarts'
  | 'deputy-of-an-earlier-process'
  | 'deputy-wakes-late'
  | 'deputy-is-told-of-no-death'
  | 'deputy-wakes-after-two-changes';

export const scenarios: Readonly<Record<ScenarioName, Directed>> = {
  'two-changes-within-a-lease': {
    about:
      'five members; two are removed within one lease, and the two that promised are the ones that leave',
    leads: true,
    seeds: 200,
  },
  'disk-lost-after-accepting': {
    about:
      'five members; one accepts a value, loses its disk, and then helps to elect a leader that lacks it',
    seeds: 200,
  },
  'disk-lost-beside-a-removal': {
    about: 'three members; one holds a removal that was never committed, and the only witness loses its disk',
  },
  'disk-lost-after-a-return': {
    about:
      'three members; one that was removed is added again, and a member that missed it meets an empty disk',
  },
  'disk-lost-after-growing': {
    about: 'two members become three while one is cut off; that one then meets an empty disk',
  },
  'empty-disk-starts-twice': {
    about: 'five members at their first start; one has just begun, and starts again before it is done',
    leads: true,
  },
  'candidate-loses-its-disk': {
    about: 'five members; a vote for a candidate arrives after that candidate has lost its disk',
    seeds: 200,
  },
  'vote-for-an-earlier-request': {
    about: 'three members; a vote arrives after its promise has ended and its candidate has asked again',
  },
  'preferred-reaches-only-the-leader': {
    about: 'five members; the preferred one reaches the leader and no other',
    mostChanges: 3,
    leads: true,
    seeds: 20,
  },
  'candidate-asks-in-vain': {
    about: 'five members; the requests of one are lost, then it is cut off until another leads',
    mostChanges: 0,
    leads: true,
  },
  'joiner-is-down': {
    about: 'three members, one of them down; a member is added that does not run',
    mostChanges: 0,
    leads: true,
  },
  'removal-without-a-majority': {
    about: 'three members, one of them down; the other follower is removed',
    mostChanges: 0,
    leads: true,
  },
  'changes-between-promises': {
    about:
      'five members; two are removed while those that stay answer but have promised nothing for a moment',
  },
  'changes-of-two-leaders': {
    about: 'four members; two leaders, one after the other, each remove a member and reach different others',
  },
  'voter-loses-its-disk': {
    about: 'three members; one votes, loses its disk, and is asked for its vote in the same term',
  },
  'vote-for-an-earlier-process': {
    about: 'three members; a vote arrives after its promise has ended and its candidate has started again',
  },
  'second-process-accepts': {
    about: 'five members; two processes of one of them, on two disks, each complete a majority',
  },
  'second-process-takes-the-seat': {
    about: 'three members; a second process answers the leader while the first helps another',
  },
  'second-process-dies': {
    about: 'three members; the death of a second process of the leader is proven',
  },
  'second-process-asks-for-votes': {
    about: 'five members; a second process of the leader asks those for votes that have promised the first',
  },
  'second-process-won-before': {
    about: 'five members; two processes of one of them ask for votes in the same term, one after the other',
  },
  'clocks-at-their-worst': {
    about:
      'three members; the clock of the leader is as slow, those of the others as fast as the drift allows',
  },
  'late-answers': {
    about: 'three members; an answer to a heartbeat arrives when the leader has sent later ones',
  },
  'leader-shortens-its-lease': {
    about: 'three members; an operator sets a shorter lease, and from then on the leader hears no answers',
  },
  'leader-shortens-its-lease-twice': {
    about: 'the same, after a shorter lease and a longer one again',
  },
  'leader-asks-for-less': {
    about:
      'three members; an operator has set a shorter lease, and the leader hears no answers when it begins to ask for less',
  },
  'voter-forgets-a-longer-promise': {
    about:
      'three members; an operator sets a longer lease, one member promises for it, starts again, and hears a heartbeat of before once more',
  },
  'timing-changes': {
    about: 'five members on a lossy network; an operator sets wan, lan, the default and a timeout',
    mostChanges: 0,
    leads: true,
  },
  'answer-of-an-earlier-term': {
    about: 'three members; an answer to a heartbeat arrives when its leader leads again, in a later term',
  },
  'promised-member-asks': {
    about: 'three members; one that has promised the leader is told to stand for election itself',
  },
  'promised-member-restarts': {
    about: 'three members; one that has promised the leader starts again and is asked for its vote',
  },
  'leader-is-heard-again': {
    about: 'three members; a request for a vote arrives after the voter has heard its leader again',
  },
  'late-consent': {
    about: 'three members; the leader hands over in vain, and its consent arrives late',
  },
  'late-consent-before-a-lease': {
    about:
      'five members; a leader that has no lease yet hands over in vain, and its consent arrives when a voter has started again',
  },
  'voter-is-asked-again': {
    about: 'three members; one votes and is asked by another candidate before it hears from the winner',
  },
  'voter-restarts': {
    about: 'three members; one votes, starts again, and is asked by another candidate of the same term',
  },
  'vote-arrives-twice': {
    about: 'five members; one of two votes arrives twice',
  },
  'late-vote-request': {
    about: 'three members; a request for a vote arrives when its term has long passed',
  },
  'member-was-away': {
    about: 'three members; one that missed two terms is the only one that may lead',
    leads: true,
  },
  'acceptor-restarts': {
    about:
      'three members; one accepts a value and starts again, and then helps to elect a leader that lacks it',
  },
  'commit-meets-another-register': {
    about: 'five members; one holds what an earlier leader began when a later one commits the same version',
  },
  'late-publication': {
    about: 'three members; what a leader sent arrives when another leads in a later term',
  },
  'members-restart': {
    about: 'three members; the leader and a follower that did not vote start again',
  },
  'leader-keeps-one-follower': {
    about: 'five members; a leader is left with one follower, and the others elect another',
  },
  'leader-is-called-gone': {
    about: 'three members; the leader is said to be gone, without proof, while it may act',
  },
  'leader-is-cut-off-for-a-moment': {
    about:
      'three members, one of them down; the lease of the leader ends for a moment, and the other asks for its vote',
    mostChanges: 1,
    leads: true,
  },
  'one-of-two-loses-its-disk': {
    about: 'two members; one loses its disk and is given its seat again',
    leads: true,
  },
  'two-of-three-lose-their-disks': {
    about: 'three members; two lose their disks at once, and are given their seats again one after the other',
    leads: true,
  },
  'disk-lost-beside-a-vacant-seat': {
    about: 'four members, of which one was never given its seat; another loses its disk meanwhile',
    leads: true,
  },
  'backup-of-a-smaller-membership': {
    about: 'two members become four; then one of the two starts from a backup of before',
    leads: true,
  },
  'copy-is-heard-by-one': {
    about:
      'one of five members has heard a copy of the disk of a later leader, and ignores that leader from then on',
    leads: true,
  },
  'deputy-voter-restarts': {
    about:
      'five members, three with deputies; one promises the deputy, starts again, hears the leader, and knows first that it died',
  },
  'deputy-of-an-earlier-process': {
    about:
      'a deputy starts again, takes over, and resigns while it is still bound to its own earlier process; it sends nothing to itself',
    leads: true,
  },
  'deputy-wakes-after-two-changes': {
    about:
      'the clock of a deputy of three members stands still, until two more have joined, and have elected another leader; it takes over in a term of its own',
  },
  'deputy-wakes-late': {
    about:
      'the clock of a deputy stands still for a second, in which its leader publishes a value and dies; it takes over, and keeps that value',
    leads: true,
  },
  'deputy-is-told-of-no-death': {
    about:
      'a deputy that is cut off is told that its leader is dead, which is not true: the leader publishes a value, and it stays',
    leads: true,
  },
};

const folder: string = path.join(import.meta.dirname, 'scenarios');

/** What one run of a scenario shows that must not be; null if nothing is wrong. */
export function tryScenario(definition: Definition, name: ScenarioName, seed: number): Shown | null {
  const { mostChanges, leads } = scenarios[name];
  const text = readFileSync(path.join(folder, `${name}.json`), 'utf8');
  const world = runWorld(readScenario(JSON.parse(text), { quorum: definition }), seed);
  const broken = world.violations.find(({ claimed }) => claimed);
  if (broken !== undefined) return broken;
  const changes = world.claims.stretches.length - 1;
  if (mostChanges !== undefined && changes > mostChanges) {
    return { property: 'L4', detail: `the lead changed ${changes} times` };
  }
  const acting = world.acting.open.length;
  if (leads && acting !== 1) return { property: 'L1', detail: `${acting} members act at the end` };
  return null;
}
