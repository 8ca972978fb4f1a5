/**
 * The safety properties, each once: its name, its sentence, its observations, and its judgement. The simulator asks
 * for the judgement as a history unfolds, the explorer for every step of every history; docs/guarantees.md says which
 * protocol promises what. S5, S7 and S8 are about certificates, fenced stores and memberships, and are not watched.
 */
import { type MemberId, majority, type Property } from '../core/index.ts';
import {
  type Finding,
  type HistoryProperty,
  nameBoth,
  type PairProperty,
  type Process,
  type SafetyProperty,
} from './property.ts';

/** A process reports itself leader of a term. */
export interface Win {
  readonly who: Process;
  readonly term: number;
}

/** The subject is a term. Its first win is compared with all others. */
export const oneWinner: HistoryProperty<Win> = {
  property: 'S1',
  name: 'one winner per term',
  says: 'at most one winner per term, over the whole history and not only now',
  watched: 'who reports itself leader of a term',
  needs: 'terms',
  reads: ['win'],
  judge({ who: first }, { who, term }) {
    const { name, life } = who;
    if (first.name === name && first.life === life) return null;
    // After a restart a process counts as another winner: its earlier life may still be about to act.
    const isAgain = first.name === name;
    const detail = isAgain
      ? `${name} won term ${term}, started again, and won it once more`
      : `${nameBoth(first, who)} both won term ${term}`;
    return {
      property: 'S1',
      members: isAgain ? [name] : [first.name, name],
      detail,
      key: `S1 ${term} ${name}`,
    };
  },
  kept: (first) => first,
};

/** A vote leaves its voter. Both processes of a member are one voter. */
export interface Vote {
  readonly voter: MemberId;
  readonly candidate: MemberId;
  readonly term: number;
}

/** The subject is a voter in a term. A winner counts as having voted for itself. */
export const oneVote: HistoryProperty<Vote> = {
  property: 'S2',
  name: 'one vote per member and term',
  says: 'a voter helps at most one candidate per term, across restarts',
  watched: 'the votes that leave each member',
  needs: 'votes',
  reads: ['vote', 'win'],
  judge({ candidate: first }, { voter, candidate, term }) {
    if (first === candidate) return null;
    const detail = `${voter} voted for ${first} and for ${candidate} in term ${term}`;
    return { property: 'S2', members: [voter], detail, key: `S2 ${voter} ${term} ${candidate}` };
  },
  kept: (first) => first,
};

/** A process reports a term. */
export interface TermReport {
  readonly by: MemberId;
  readonly term: number;
}

/** The subject is a process, across its restarts. */
export const growingTerms: HistoryProperty<TermReport> = {
  property: 'S3',
  name: 'terms never go back',
  says: "a member's term never goes back, across restarts",
  watched: 'the terms each member reports',
  needs: 'terms',
  reads: ['report'],
  judge({ term: before }, { by, term }) {
    if (term >= before) return null;
    const detail = `${by} went back from term ${before} to ${term}`;
    return { property: 'S3', members: [by], detail, key: `S3 ${by} ${before} ${term}` };
  },
  kept: (_, last) => last,
};

/**
 * A win in a protocol with votes: the voters of the membership in force, and those whose votes have reached the
 * winner.
 */
export interface BackedWin extends Win {
  readonly voters: readonly MemberId[];
  readonly helpers: readonly MemberId[];
}

interface BackingProperty extends SafetyProperty {
  judge(win: BackedWin): Finding | null;
}

/** The winner votes for itself; a vote that came twice, or from outside the membership, does not count. */
export const majorityBehindWins: BackingProperty = {
  property: 'S4',
  name: 'a majority behind every win',
  says: 'every win is backed by a majority of the configured voters, each counted once',
  watched: 'the votes that reached the winner',
  needs: 'votes',
  reads: ['win', 'count'],
  judge({ who: { name, id }, term, voters, helpers }) {
    const count = voters.filter((voter) => voter === id || helpers.includes(voter)).length;
    const needed = majority(voters.length);
    if (count >= needed) return null;
    const detail = `${name} won term ${term} with ${count} of ${voters.length} voters, ${needed} needed`;
    return { property: 'S4', members: [name], detail, key: `S4 ${name} ${term}` };
  },
};

/** A process may act from now on, with its term as the token. */
export interface TokenUse {
  readonly who: Process;
  readonly term: number;
}

/**
 * There is one subject: all leaders. The newest token so far is compared with the next; a new life needs a new token.
 */
export const growingTokens: HistoryProperty<TokenUse> = {
  property: 'S6',
  name: 'tokens only grow',
  says: 'tokens (the term) grow in the order in which leaderships begin',
  watched: 'who may act, with which token',
  needs: 'terms',
  reads: ['act'],
  judge({ who: last, term: newest }, { who, term }) {
    const { name, life } = who;
    const isSame = name === last.name && life === last.life;
    if (term > newest || (term === newest && isSame)) return null;
    const before = isSame ? 'it' : name === last.name ? 'its earlier life' : last.name;
    const detail = `${name} acts with token ${term} after ${before} acted with ${newest}`;
    return { property: 'S6', members: [last.name, name], detail, key: `S6 ${name} ${term}` };
  },
  kept: (newest, next) => (next.term > newest.term ? next : newest),
};

/** A process names the leader of a term. An observer that does not keep the first naming process says null. */
export interface Naming {
  readonly by: MemberId | null;
  readonly leader: MemberId;
  readonly term: number;
}

/** The subject is a term. */
export const oneName: HistoryProperty<Naming> = {
  property: 'S9',
  name: 'one name for the leader of a term',
  says: 'members that name a leader for the same term name the same one',
  watched: 'what each member reports',
  needs: 'terms',
  reads: ['report'],
  judge(first, { by, leader, term }) {
    if (first.leader === leader) return null;
    const detail =
      first.by === null
        ? `in term ${term}, ${by} names ${leader}, and ${first.leader} was named before`
        : `in term ${term}, ${first.by} names ${first.leader} and ${by} names ${leader}`;
    return {
      property: 'S9',
      members: known(first.by, by),
      detail,
      key: `S9 ${term} ${first.leader} ${leader}`,
    };
  },
  kept: (first) => first,
};

/** A process may act: its user would be told so. */
export interface Acting {
  readonly who: Process;
  readonly term: number | null;
}

/** The subject is a moment: a process that may act is compared with one that begins to. No history is needed. */
export const oneActing: PairProperty<Acting> = {
  property: 'S10',
  name: 'one leader at a time',
  says: 'at no moment may two members act, or two processes of one member',
  watched: 'who may act, by the clock of the world',
  needs: 'nothing',
  reads: ['act'],
  judge({ who: other }, { who, term }) {
    if (other.name === who.name) return null;
    const token = term === null ? '' : ` (${who.name} in term ${term})`;
    const [a, b] = [String(other.name), String(who.name)];
    return {
      property: 'S10',
      members: [other.name, who.name],
      detail: `${nameBoth(other, who)} could both act${token}`,
      key: a < b ? `S10 ${a} ${b} ${term}` : `S10 ${b} ${a} ${term}`,
    };
  },
};

/**
 * A process shows a version of the published value. An observer that does not keep the first such process says null.
 */
export interface Showing {
  readonly by: MemberId | null;
  readonly version: number;
  /** The value as `canonicalText`: equal values, equal texts. */
  readonly text: string;
}

/** The subject is a version. */
export const oneValue: HistoryProperty<Showing> = {
  property: 'R1',
  name: 'one value per version',
  says: 'members that show the same version of a published value show the same value',
  watched: 'what each member reports',
  needs: 'values',
  reads: ['show'],
  judge(first, { by, version, text }) {
    if (first.text === text) return null;
    const detail =
      first.by === null
        ? `${by} shows ${text} as version ${version}, and ${first.text} was shown before`
        : `${first.by} shows ${first.text} as version ${version}, ${by} shows ${text}`;
    return { property: 'R1', members: known(first.by, by), detail, key: `R1 ${version} ${text}` };
  },
  kept: (first) => first,
};

function known(...members: readonly (MemberId | null)[]): MemberId[] {
  return members.filter((member) => member !== null);
}

/** All watched properties, in the order in which they are listed for people. */
export const SAFETY: readonly SafetyProperty[] = [
  oneWinner,
  oneVote,
  growingTerms,
  majorityBehindWins,
  growingTokens,
  oneName,
  oneActing,
  oneValue,
];

export const SAFETY_NAMES: readonly Property[] = SAFETY.map(({ property }) => property);
