import type { Change, ClusterMember, ElectionEntry, FleetMember, Id, State, Status } from './answers.ts';

/** All that the dashboard shows. A new one is made at every change. */
export interface View {
  /** The newest that is known; null until the first answer. */
  readonly status: State | null;
  /** What was last answered, by the one whose view of the others is shown. A stream may be that of another member. */
  readonly answer: Status | null;
  readonly members: readonly ClusterMember[];
  readonly history: readonly Change[];
  readonly elections: readonly ElectionEntry[];
  /** The processes, where the page is that of a whole cluster. */
  readonly fleet: readonly FleetMember[] | null;
  /** Since when nothing was heard, and of whom; null while all is well. */
  readonly silence: Silence | null;
  /** When this was true. */
  readonly nowMs: number;
}

export interface Silence {
  readonly sinceMs: number;
  /** Nobody is there, or somebody who has no answer (its words), or has one that we do not understand. */
  readonly why: 'no answer' | 'refused' | 'not understood';
  readonly words: string;
}

export const EMPTY: View = {
  status: null,
  answer: null,
  members: [],
  history: [],
  elections: [],
  fleet: null,
  silence: null,
  nowMs: 0,
};

/** Silence goes on since it began. */
export function fallSilent(view: View, nowMs: number, why: Silence['why'], words: string): View {
  return { ...view, nowMs, silence: { sinceMs: view.silence?.sinceMs ?? nowMs, why, words } };
}

/** A change of who leads, for those who do not see the page. Nothing is said about the first that is known. */
export function announcement(before: State | null, after: State | null): string | null {
  if (before === null || after === null || before.electionName !== after.electionName) return null;
  if (before.leader === after.leader && before.token === after.token) return null;
  if (after.leader === null) return 'Nobody leads now';
  return `Member ${after.leader} leads now${after.token === null ? '' : `, token ${after.token}`}`;
}

/** In the order of their ids, as everybody expects them: numbers by their value. */
export function inOrder(members: readonly ClusterMember[]): readonly ClusterMember[] {
  return [...members].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}

export function processOf(fleet: readonly FleetMember[] | null, name: string): FleetMember | undefined {
  return fleet?.find(({ id }) => String(id) === name);
}

/** The members to which the lead can be handed: those that can be reached, and whose votes count. */
export function heirs({ voters, leader }: State, members: readonly ClusterMember[]): readonly Id[] {
  const isOut = (id: Id): boolean => {
    const member = members.find(({ name }) => name === String(id));
    return member !== undefined && (member.state === 'unknown' || member.role === 'none');
  };
  const ids = voters.map(({ voterId }) => voterId).filter((id) => id !== leader && !isOut(id));
  return ids.sort((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true }));
}
