import { anyText, described, named, nullable, number, openRecord, type Shape } from '../../core/index.ts';

/** What an operator did at a member. */
export interface Act {
  readonly at: string;
  readonly atMs: number;
  readonly electionName: string;
  /** The name of the token; null if none was needed. */
  readonly by: string | null;
  /** The address of the client. */
  readonly from: string;
  readonly what: string;
  readonly outcome: string;
}

/** The range of JavaScript dates, in milliseconds since 1970. */
const LAST_MS = 8.64e15;

export const act: Shape<Act> = named(
  'Act',
  openRecord<Act>({
    at: described(anyText, 'When, by the wall clock of this member.'),
    atMs: described(number(-LAST_MS, LAST_MS), 'Milliseconds since 1970.'),
    electionName: described(anyText, 'Which election this is about.'),
    by: described(nullable(anyText), 'The name of the token; null if none was needed.'),
    from: described(anyText, 'The address of the client.'),
    what: described(anyText, 'The command, such as `transfer to b`.'),
    outcome: described(anyText, '`done`, or why it was refused or failed.'),
  }),
);
