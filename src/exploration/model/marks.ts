import { compareIds, type Json, type MemberId, type Protocol, type View } from '../../core/index.ts';
import { growingTerms } from '../../properties/index.ts';
import type { Cause, Local, Reaction } from './member.ts';

/** What a step adds to the history that the properties need. */
export type Mark =
  /** A vote reached its candidate. */
  | {
      readonly kind: 'counted';
      readonly voter: MemberId;
      readonly candidate: MemberId;
      readonly term: number;
    }
  /** A vote left its voter. `late`: the voter had reported a newer term before. */
  | {
      readonly kind: 'voted';
      readonly voter: MemberId;
      readonly candidate: MemberId;
      readonly term: number;
      readonly late: boolean;
    }
  | {
      readonly kind: 'reported';
      readonly member: MemberId;
      readonly leader: MemberId | null;
      readonly term: number;
    }
  /** A reported term was older than the one before. `lost`: the disk was lost, with the term. */
  | {
      readonly kind: 'went-back';
      readonly member: MemberId;
      readonly from: number;
      readonly to: number;
      readonly lost: boolean;
    }
  /** A member claims a leadership that it did not claim before. `voters`: those of the membership that it knows. */
  | {
      readonly kind: 'won';
      readonly member: MemberId;
      readonly term: number | null;
      readonly voters: readonly MemberId[] | null;
    }
  /** A member shows a published value. */
  | { readonly kind: 'showed'; readonly member: MemberId; readonly version: number; readonly value: Json };

/** The marks of a reaction, seen from outside: the votes that travel and the reports. */
export function marksOf(protocol: Protocol, before: Local, cause: Cause, reaction: Reaction): Mark[] {
  const { member } = before;
  const marks: Mark[] = [];
  const reached = cause.type === 'message' ? protocol.vote?.(cause.message) : null;
  if (reached && cause.type === 'message' && reached.term >= (before.view?.term ?? 0)) {
    marks.push({ kind: 'counted', voter: cause.from, candidate: member, term: reached.term });
  }
  const lost = cause.type === 'start' && cause.amnesia;
  let last = before.term;
  let claims = before.view?.role === 'leader' ? before.view : null;
  let shown = before.view;
  for (const view of reaction.reports) {
    const { role, leader, term } = view;
    if (term !== null) {
      const isBack =
        last !== null && growingTerms.judge({ by: member, term: last }, { by: member, term }) !== null;
      if (last !== null && isBack) marks.push({ kind: 'went-back', member, from: last, to: term, lost });
      if (leader !== null || term !== last) marks.push({ kind: 'reported', member, leader, term });
      last = term;
    }
    if (view.version > 0 && (shown === null || shown.version !== view.version)) {
      marks.push({ kind: 'showed', member, version: view.version, value: view.value });
    }
    shown = view;
    if (role === 'leader' && (claims === null || claims.term !== term)) {
      marks.push({ kind: 'won', member, term, voters: electorsOf(view) });
    }
    claims = role === 'leader' ? view : null;
  }
  for (const { from, to, message } of reaction.sends) {
    const vote = protocol.vote?.(message);
    if (!vote) continue;
    const late = vote.term < (before.term ?? 0);
    marks.push({ kind: 'voted', voter: from, candidate: to, term: vote.term, late });
  }
  return inOrder(marks);
}

function electorsOf({ electors, members }: View): readonly MemberId[] | null {
  return (electors === undefined ? members : electors) ?? null;
}

/** Votes last, in the order of their candidates: the order in which one step sends its messages does not matter. */
export function inOrder(marks: readonly Mark[]): Mark[] {
  const votes = marks.filter((mark) => mark.kind === 'voted');
  votes.sort((a, b) => compareIds(a.candidate, b.candidate) || a.term - b.term);
  return [...marks.filter((mark) => mark.kind !== 'voted'), ...votes];
}
