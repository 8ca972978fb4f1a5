import type { Verdict } from './verdict-looks.ts';

/** The order of the verdicts in a row. */
export const PROTOCOLS: readonly string[] = ['bully', 'chang-roberts', 'draw', 'epoch', 'quorum', 'ring'];

type Row = readonly [Verdict, Verdict, Verdict, Verdict, Verdict, Verdict];

/**
 * The result of `verdictOf` for each scenario. It takes a while to compute, so it is stored here, and a test
 * compares.
 */
export const VERDICTS: Readonly<Record<string, Row>> = {
  'quiet-start': ['one', 'one', 'one', 'one', 'one', 'one'],
  'late-joiner': ['moment', 'one', 'one', 'one', 'one', 'one'],
  'leader-crash': ['one', 'one', 'one', 'one', 'one', 'gap'],
  'leader-returns': ['moment', 'one', 'one', 'one', 'one', 'gap'],
  'follower-crash': ['one', 'one', 'one', 'one', 'one', 'one'],
  'high-id-returns': ['moment', 'moment', 'one', 'one', 'one', 'one'],
  'rolling-restart': ['one', 'one', 'one', 'one', 'one', 'unknown-to-some'],
  'power-cut': ['one', 'gap', 'gap', 'gap', 'gap', 'gap'],
  'two-left': ['one', 'gap', 'gap', 'none', 'none', 'gap'],
  'isolate-leader': ['two-then-one', 'two-then-one', 'two-then-one', 'two-then-one', 'one', 'two-then-one'],
  'even-split': ['two-then-one', 'two-then-one', 'two-then-one', 'one', 'gap', 'two-then-one'],
  minority: ['two-then-one', 'two-then-one', 'two-then-one', 'two-then-one', 'one', 'two-then-one'],
  'three-threes': ['two-then-one', 'moment', 'two-then-one', 'one', 'gap', 'one'],
  bridge: ['unknown-to-some', 'unknown-to-some', 'one', 'two-for-good', 'one', 'two-for-good'],
  'ring-of-majorities': ['unknown-to-some', 'flaps', 'one', 'two-for-good', 'one', 'one'],
  chain: [
    'unknown-to-some',
    'unknown-to-some',
    'two-then-one',
    'two-for-good',
    'unknown-to-some',
    'two-for-good',
  ],
  star: ['two-for-good', 'two-for-good', 'one', 'one', 'one', 'two-for-good'],
  'cut-one-link': ['unknown-to-some', 'flaps', 'one', 'two-for-good', 'one', 'one'],
  'one-way-link': ['unknown-to-some', 'flaps', 'one', 'one', 'one', 'one'],
  'flapping-link': ['one', 'one', 'one', 'two-then-one', 'one', 'one'],
  'deaf-leader': ['two-for-good', 'one', 'one', 'one', 'unknown-to-some', 'two-for-good'],
  'mute-leader': ['two-for-good', 'one', 'moment', 'one', 'one', 'one'],
  'follower-returns': ['two-then-one', 'two-then-one', 'two-then-one', 'one', 'one', 'one'],
  'deaf-follower': ['two-for-good', 'moment', 'moment', 'flaps', 'unknown-to-some', 'two-for-good'],
  'delay-spike': ['two-then-one', 'moment', 'one', 'gap', 'gap', 'one'],
  lossy: ['flaps', 'one', 'one', 'flaps', 'flaps', 'two-then-one'],
  duplicates: ['one', 'one', 'one', 'one', 'one', 'one'],
  reorder: ['moment', 'one', 'one', 'flaps', 'one', 'one'],
  amnesia: ['one', 'one', 'one', 'one', 'one', 'one'],
  'others-forget': ['two-then-one', 'two-then-one', 'two-then-one', 'two-then-one', 'one', 'two-then-one'],
  'pause-leader': ['two-then-one', 'two-then-one', 'two-then-one', 'two-then-one', 'one', 'two-then-one'],
  'slow-clock': ['one', 'flaps', 'one', 'one', 'moment', 'one'],
  'fast-clock': ['flaps', 'flaps', 'moment', 'one', 'one', 'one'],
  'disk-stall': ['one', 'one', 'two-then-one', 'gap', 'gap', 'gap'],
};
