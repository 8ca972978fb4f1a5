/** What a run came to, in the one respect that matters here: who led. */
export type Verdict =
  | 'one'
  | 'unknown-to-some'
  | 'moment'
  | 'two-then-one'
  | 'two-for-good'
  | 'flaps'
  | 'gap'
  | 'nobody';

interface Look {
  readonly says: string;
  /** So that nobody depends on the colour. */
  readonly sign: string;
  readonly tone: 'good' | 'fair' | 'bad';
}

export const VERDICT_LOOKS: Readonly<Record<Verdict, Look>> = {
  one: { says: 'one leader', sign: '✓', tone: 'good' },
  'unknown-to-some': { says: 'one leader, but not all know it', sign: '?', tone: 'fair' },
  moment: { says: 'two leaders for a moment', sign: '~', tone: 'fair' },
  'two-then-one': { says: 'two leaders, then one', sign: '⚠', tone: 'bad' },
  'two-for-good': { says: 'two leaders for good', sign: '✖', tone: 'bad' },
  gap: { says: 'nobody for over 10\u00A0s, then one', sign: '…', tone: 'fair' },
  flaps: { says: 'leaders come and go', sign: '↻', tone: 'bad' },
  nobody: { says: 'nobody leads', sign: '∅', tone: 'fair' },
};
