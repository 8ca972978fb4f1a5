/** The result of a run, in the one respect that matters here: its leaders. */
export type Verdict =
  | 'one'
  | 'unknown-to-some'
  | 'moment'
  | 'two-then-one'
  | 'two-for-good'
  | 'flaps'
  | 'gap'
  | 'none';

interface Look {
  readonly says: string;
  /** A sign, so that no visitor depends on the colour. */
  readonly sign: string;
  readonly tone: 'good' | 'fair' | 'bad';
}

export const VERDICT_LOOKS: Readonly<Record<Verdict, Look>> = {
  one: { says: 'one leader', sign: '✓', tone: 'good' },
  'unknown-to-some': { says: 'one leader, but not all know it', sign: '?', tone: 'fair' },
  moment: { says: 'two leaders for a moment', sign: '~', tone: 'fair' },
  'two-then-one': { says: 'two leaders, then one', sign: '⚠', tone: 'bad' },
  'two-for-good': { says: 'two leaders for good', sign: '✖', tone: 'bad' },
  gap: { says: 'no leader for over 10\u00A0s, then one', sign: '…', tone: 'fair' },
  flaps: { says: 'leaders come and go', sign: '↻', tone: 'bad' },
  none: { says: 'no leader', sign: '∅', tone: 'fair' },
};
