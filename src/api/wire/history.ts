/** The changes of the leader that a member saw: in one election, with what operators did, and in all of them. */
import {
  anyText,
  described,
  listOf,
  type MemberId,
  named,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';
import { type Act, act } from './act.ts';
import { cause, detail, electionName, leader, token, wallMs } from './documents.ts';

/** One change of the leader, as a member saw it. */
export interface HistoryEntry {
  readonly at: string;
  readonly atMs: number;
  readonly leader: MemberId | null;
  readonly token: string | null;
  readonly cause: string;
  readonly detail: string;
  readonly about?: string | undefined;
}

export interface History {
  readonly electionName: string;
  readonly history: readonly HistoryEntry[];
  readonly acts?: readonly Act[] | undefined;
}

/** One change of the leader in one of all elections. */
export interface ChangeEntry extends HistoryEntry {
  readonly electionName: string;
}

export interface ChangeList {
  readonly changes: readonly ChangeEntry[];
}

const changeFields: { readonly [K in keyof HistoryEntry]-?: Shape<HistoryEntry[K]> } = {
  at: described(anyText, 'When, by the wall clock of this member.'),
  atMs: wallMs,
  leader,
  token,
  cause,
  detail,
  about: optional(
    described(anyText, '`member`: it is about this member alone, not about the leader of the others.'),
  ),
};
export const historyEntry: Shape<HistoryEntry> = named('Change', openRecord<HistoryEntry>(changeFields));

export const changeEntry: Shape<ChangeEntry> = named(
  'ElectionChange',
  openRecord<ChangeEntry>({ electionName, ...changeFields }),
);

export const changeList: Shape<ChangeList> = named(
  'Changes',
  openRecord<ChangeList>({
    changes: described(
      listOf(changeEntry),
      'Oldest first; at most a thousand, and only since this process started.',
    ),
  }),
);

export const history: Shape<History> = named(
  'History',
  openRecord<History>({
    electionName,
    history: described(listOf(historyEntry), 'Oldest first; the list is bounded, so the oldest are dropped.'),
    acts: optional(described(listOf(act), 'What operators did at this member, oldest first; bounded too.')),
  }),
);
