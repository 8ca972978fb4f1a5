import {
  anyText,
  described,
  type MemberId,
  named,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';
import { leader, leaderUrl } from './documents.ts';

/** The body of every error. Its other fields depend on the code. */
export interface Refused {
  readonly code: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly expected?: string | undefined;
  readonly outcome?: string | undefined;
  readonly leader?: MemberId | null | undefined;
  readonly leaderUrl?: string | null | undefined;
}

export const refused: Shape<{ readonly error: Refused }> = named(
  'Error',
  openRecord<{ readonly error: Refused }>({
    error: openRecord<Refused>({
      code: described(anyText, 'Never changes.'),
      message: described(anyText, 'For people.'),
      path: optional(described(anyText, 'The invalid field of the body.')),
      expected: optional(described(anyText, 'What is expected there.')),
      outcome: optional(
        described(anyText, 'definite: it had no effect. indefinite: it may have had its effect.'),
      ),
      leader: optional(leader),
      leaderUrl: optional(leaderUrl),
    }),
  }),
);
