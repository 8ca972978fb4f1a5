import type { MemberId, Property } from '../core/index.ts';

/**
 * What an observer outside the members sees. A property reads some of these and nothing else: never the state of a member.
 *
 * `report`: a member reports its term and the leader that it names. `win`: a member reports itself leader of a term that it did not
 * lead before. `vote`: a vote leaves its voter. `count`: a vote reaches its candidate. `act`: a member may act from now on.
 * `show`: a member shows a version of a published value.
 */
export type Observation = 'report' | 'win' | 'vote' | 'count' | 'act' | 'show';

/** What a protocol must have for a property to apply to it. */
export type Needs = 'nothing' | 'terms' | 'votes' | 'values';

/** The description of every property, safety or liveness. */
export interface Described {
  readonly property: string;
  /** A few words, for people who do not know the numbers. */
  readonly name: string;
  /** The property in a sentence. */
  readonly says: string;
  /** How it is watched in a run, or tried. */
  readonly watched: string;
}

export interface SafetyProperty extends Described {
  readonly property: Property;
  readonly needs: Needs;
  readonly reads: readonly Observation[];
}

/**
 * A property that two observations of one subject can contradict (two wins of one term, two votes of one voter in one
 * term). The observer keeps the earlier one in any form, and asks for the judgement when the later one is made.
 */
export interface PairProperty<O> extends SafetyProperty {
  /** What the two contradict, or null. They must be about the same subject, in this order. */
  judge(earlier: O, later: O): Finding | null;
}

/**
 * A pair property over a whole history: of all earlier observations of one subject, one is enough to judge the next.
 */
export interface HistoryProperty<O> extends PairProperty<O> {
  /** Which of the two the next observation is compared with. */
  kept(earlier: O, later: O): O;
}

/** A property that did not hold, in words. */
export interface Finding {
  readonly property: Property;
  readonly members: readonly MemberId[];
  readonly detail: string;
  /** Findings with the same key are one, which is reported when it first shows: a broken property stays broken. */
  readonly key: string;
}

/** One process of one member. */
export interface Process {
  /** Its own name. A second process of a member has another name than the first. */
  readonly name: MemberId;
  /** The member that it is a process of: the voter, or the candidate. */
  readonly id: MemberId;
  /** Different after every start. An observer that cannot distinguish starts gives all processes the same. */
  readonly life: string;
}

/** Two members, or the two processes of one. */
export function nameBoth(a: Process, b: Process): string {
  return a.id === b.id && a.name !== b.name ? `two processes of ${a.id}` : `${a.name} and ${b.name}`;
}
