/**
 * What is promised once faults are few, each property once. Unlike safety, it cannot be judged from every history: a
 * test brings a cluster to rest (L1), then cuts a member off or lets it come back (L3, L4, L5), and asks for a
 * judgement of what it saw.
 */
import { type Liveness, type MemberId, majority } from '../core/index.ts';
import type { Described } from './property.ts';

/** A liveness property that did not hold. */
export interface Shortfall {
  readonly property: 'L1' | Liveness;
  readonly detail: string;
}

export interface LivenessProperty<Seen> extends Described {
  readonly property: Shortfall['property'];
  /** What is wrong with what was seen, or null. */
  judge(seen: Seen): Shortfall | null;
}

/** What one member believes. */
export interface Belief {
  readonly id: MemberId;
  readonly leader: MemberId | null;
  /** It believes that it leads. */
  readonly claims: boolean;
  /** The voters, as far as it knows; null if the membership cannot change. */
  readonly members: readonly MemberId[] | null;
}

export interface Settled {
  /** The beliefs of all running members. */
  readonly beliefs: readonly Belief[];
  /** After a disk was copied, others may take the member for its copy and ignore its messages. */
  readonly isMajorityEnough: boolean;
}

/**
 * Exactly one member leads and all other voters name it. If the membership can change, the voters are those that the
 * leader names: a member that was removed, or never added, may name any leader, except itself.
 */
export function isAgreed(beliefs: readonly Belief[], isMajorityEnough = false): boolean {
  const leader = beliefs.find(({ claims }) => claims);
  if (leader === undefined || beliefs.some((each) => each.claims && each !== leader)) return false;
  const { id, members } = leader;
  if (members !== null && !members.includes(id)) return false;
  const voting = members === null ? beliefs : beliefs.filter((each) => members.includes(each.id));
  if (!isMajorityEnough) return voting.every((each) => each.leader === id);
  const needed = Math.min(voting.length, majority((members ?? beliefs).length));
  return voting.filter((each) => each.leader === id).length >= needed;
}

export const eventualAgreement: LivenessProperty<Settled> = {
  property: 'L1',
  name: 'one leader for all, once the faults stop',
  says: 'after the faults stop, every election ends with one leader that all members agree on',
  watched: 'all members run and hear each other for some timeouts',
  judge({ beliefs, isMajorityEnough }) {
    if (isAgreed(beliefs, isMajorityEnough)) return null;
    const camps = new Map<MemberId | null, MemberId[]>();
    for (const { id, leader } of beliefs) camps.set(leader, [...(camps.get(leader) ?? []), id]);
    const words = [...camps].map(([named, by]) => `${by.join(', ')} → ${named ?? 'none'}`);
    const detail = `leaders named: ${words.length === 0 ? 'no member runs' : words.join('; ')}`;
    return { property: 'L1', detail };
  },
};

/** A leader was cut off from so many members that the others are a majority, and came back. */
export interface Succession {
  readonly leader: MemberId;
  /** Another member could act before the leader came back. */
  readonly isReplaced: boolean;
}

export const boundedFailover: LivenessProperty<Succession> = {
  property: 'L3',
  name: 'another leader soon, when one is cut off',
  says: 'when the leader is cut off, a majority that is left soon has another',
  watched: 'another member could act before it comes back',
  judge({ leader, isReplaced }) {
    if (isReplaced) return null;
    return {
      property: 'L3',
      detail: `no member has taken over from ${leader}, although a majority is left`,
    };
  },
};

/** A majority heard the leader all the time. */
export interface Steadiness {
  readonly leader: MemberId;
  readonly term: number | null;
  /** It has stopped claiming to lead. */
  readonly hasGivenUp: boolean;
  /** The first that claimed to lead since, if any. */
  readonly other: { readonly member: MemberId; readonly term: number | null } | null;
}

export const stability: LivenessProperty<Steadiness> = {
  property: 'L4',
  name: 'no other leader while a majority hears this one',
  says: 'no change of leader while a majority hears the one there is',
  watched:
    'the member that was cut off has come back, or hears the leader alone, and no other has claimed to lead',
  judge({ leader, term, hasGivenUp, other }) {
    if (!hasGivenUp && other === null) return null;
    const news =
      other === null ? `${leader} stopped leading` : `${other.member} came to lead in term ${other.term}`;
    return {
      property: 'L4',
      detail: `${news} although a majority heard ${leader}, the leader of term ${term}`,
    };
  },
};

/** A leader cannot hear a majority. */
export interface Isolation {
  readonly leader: MemberId;
  readonly isClaiming: boolean;
  /** For how long it has been cut off, in timeouts. */
  readonly timeouts: number;
}

/** In timeouts. A leader that is cut off counts the timeout from the last answers that were in flight. */
export const STEPS_DOWN_WITHIN = 1.5;

export const steppingDown: LivenessProperty<Isolation> = {
  property: 'L5',
  name: 'no claim to lead without a majority',
  says: 'a leader without a majority stops claiming',
  watched: 'one and a half timeouts after it was cut off, it does not',
  judge({ leader, isClaiming, timeouts }) {
    if (!isClaiming || timeouts < STEPS_DOWN_WITHIN) return null;
    return {
      property: 'L5',
      detail: `${leader} still claims to lead, ${timeouts} timeouts after it was cut off`,
    };
  },
};

/** In the order in which they are listed for people. */
export const LIVENESS: readonly Described[] = [eventualAgreement, boundedFailover, stability, steppingDown];
