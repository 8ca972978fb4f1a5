import {
  anyText,
  described,
  integer,
  named,
  nullable,
  openRecord,
  optional,
  type Shape,
} from '../../core/index.ts';

/** The certificate of a member, and how long it lasts. */
export interface Certificate {
  readonly expiresAt: string;
  readonly daysLeft: number;
  readonly caDaysLeft?: number | undefined;
  readonly warning: string | null;
}

const MOST_DAYS = 100_000_000;
const days = integer(-MOST_DAYS, MOST_DAYS);

export const certificate: Shape<Certificate> = named(
  'Certificate',
  openRecord<Certificate>({
    expiresAt: described(anyText, 'When the certificate of this member expires.'),
    daysLeft: described(days, 'Whole days until then; below 0 if it has expired.'),
    caDaysLeft: optional(described(days, 'The same for the CA that expires first; only of members.')),
    warning: described(nullable(anyText), 'What to do, if either expires within 30 days; else null.'),
  }),
);
