import { tallyOf } from '../../../src/api/wire/index.ts';
import {
  type Change,
  type ClusterMember,
  type ElectionChange,
  type ElectionEntry,
  type FleetMember,
  type Id,
  NO_RUNS,
  type RunList,
  type State,
  type Status,
} from './answers.ts';
import { tallyWords } from './many.ts';

/** Everything that the dashboard shows. A new one is made at every change. */
export interface View {
  /** The newest that is known; null until the first answer. */
  readonly status: State | null;
  /** The last answer, from the member whose view of the others is shown. The stream may be that of another member. */
  readonly answer: Status | null;
  readonly members: readonly ClusterMember[];
  readonly history: readonly Change[];
  readonly runs: RunList;
  readonly elections: readonly ElectionEntry[];
  /** Are all elections shown, and not one of them? */
  readonly isOfAll: boolean;
  /** The last ones in all elections, if they are shown. */
  readonly changes: readonly ElectionChange[];
  /** The processes, if the page is that of a whole cluster. */
  readonly fleet: readonly FleetMember[] | null;
  /** Since when nothing was heard, and why; null while all is well. */
  readonly silence: Silence | null;
  /** When this was true. */
  readonly nowMs: number;
}

export interface Silence {
  readonly sinceMs: number;
  /** No answer, or a refusal (its words), one for want of a token, or an answer that cannot be parsed. */
  readonly why: 'no answer' | 'refused' | 'token' | 'not understood';
  readonly words: string;
}

export const EMPTY: View = {
  status: null,
  answer: null,
  members: [],
  history: [],
  runs: NO_RUNS,
  elections: [],
  isOfAll: false,
  changes: [],
  fleet: null,
  silence: null,
  nowMs: 0,
};

/** The silence keeps its start. */
export function fallSilent(view: View, nowMs: number, why: Silence['why'], words: string): View {
  return { ...view, nowMs, silence: { sinceMs: view.silence?.sinceMs ?? nowMs, why, words } };
}

/** A change of leader, for screen readers. The first known leader is not announced. */
export function announcement(before: State | null, after: State | null): string | null {
  if (before === null || after === null || before.electionName !== after.electionName) return null;
  if (before.leader === after.leader && before.token === after.token) return null;
  if (after.leader === null) return 'There is no leader now';
  return `Member ${after.leader} leads now${after.token === null ? '' : `, token ${after.token}`}`;
}

/** That a leader is missing in some of many elections, or in none any more, for screen readers. */
export function lackAnnouncement(before: View, after: View): string | null {
  if (!before.isOfAll || !after.isOfAll) return null;
  const [had, has] = [before, after].map(({ elections }) => tallyOf(elections).without.length) as [
    number,
    number,
  ];
  return (had === 0) === (has === 0) ? null : tallyWords(after.elections.length, has);
}

/** Ordered by id, numbers by their value. */
export function inOrder(members: readonly ClusterMember[]): readonly ClusterMember[] {
  return [...members].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

export function processOf(fleet: readonly FleetMember[] | null, name: string): FleetMember | undefined {
  return fleet?.find(({ id }) => String(id) === name);
}

/** The members that the leadership can be transferred to: those that can be reached, and whose votes count. */
export function heirs({ voters, leader }: State, members: readonly ClusterMember[]): readonly Id[] {
  const isOut = (id: Id): boolean => {
    const member = members.find(({ name }) => name === String(id));
    return member !== undefined && (member.state === 'unknown' || member.role === 'none');
  };
  const ids = voters.map(({ voterId }) => voterId).filter((id) => id !== leader && !isOut(id));
  return ids.sort((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true }));
}
