/**
 * The rules of `once`: what a leader does with an occasion, given what is recorded. Pure, so that every order of crashes
 * can be tried.
 *
 * Promises, if each record that is written was derived from the last one by the leader of that time:
 *   - at most one end is recorded for each occasion of a series, and it never changes;
 *   - the ends of a series are recorded in the order of its occasions;
 *   - an end `done` is recorded only after an attempt whose beginning was recorded before;
 *   - each attempt has a number of its own, also if the one before was cut short by a crash.
 *
 * Does not promise: that work begins once. An attempt that was cut short has begun, and so has the one after it, with a
 * greater token.
 *
 * The states of an occasion: unknown → open (an attempt has begun) → open (the next attempt) … → done | failed | skipped.
 */
import { assert } from '../core/values.ts';
import { compareOccasions, formOf, momentOf, type Occasion } from './occasion.ts';
import {
  type OnceRecord,
  type Run,
  type RunOutcome,
  type Series,
  seriesIn,
  shortError,
  withSeries,
} from './record.ts';

/** What a caller wants done. */
export interface Wish {
  readonly occasion: Occasion;
  readonly series: string;
  /** For an occasion that is late by more than `lateMs`: run it, or record it as skipped. */
  readonly misfire: 'run' | 'skip';
  readonly lateMs: number;
  /** How many times work that failed is tried again. */
  readonly retries: number;
  /** How many times the work may begin. More beginnings than failures are attempts that were cut short. */
  readonly maxAttempts: number;
}

export type Decision =
  /** It has ended before. */
  | { readonly do: 'answer'; readonly run: Run }
  | { readonly do: 'run'; readonly attempt: number; readonly failures: number }
  /** Record this end without an attempt. */
  | { readonly do: 'end'; readonly outcome: 'failed' | 'skipped'; readonly error: string }
  /** Bad input: the occasion goes back, or has another form than those before. */
  | { readonly do: 'refuse'; readonly expected: string };

/** Who acts, and when. */
export interface Actor {
  readonly member: string;
  readonly token: string;
  /** Its wall clock. */
  readonly at: string;
}

/** What is known of an occasion that has ended, or cannot be run any more; null if it may have to be run. */
export function settled(record: OnceRecord, wish: Pick<Wish, 'occasion' | 'series'>): Decision | null {
  const { occasion } = wish;
  const { last, open } = seriesIn(record, wish.series);
  const latest = last?.occasion ?? open?.occasion;
  if (latest === undefined) return null;
  if (formOf(latest) !== formOf(occasion))
    return { do: 'refuse', expected: `a ${formOf(latest)}, as the last occasion, ${latest}` };
  if (last !== null && compareOccasions(occasion, last.occasion) === 0) return { do: 'answer', run: last };
  const isBehind = [last?.occasion, open?.occasion].some(
    (each) => each !== undefined && compareOccasions(occasion, each) < 0,
  );
  if (!isBehind) return null;
  const run = record.runs.findLast((each) => each.series === wish.series && each.occasion === occasion);
  if (run !== undefined) return { do: 'answer', run };
  const newest = open !== null && (last === null || compareOccasions(open.occasion, last.occasion) > 0);
  return {
    do: 'refuse',
    expected: `an occasion after ${newest ? `${open.occasion}, which has begun` : `${latest}, which was recorded last`}`,
  };
}

/** What the leader does. `nowMs`: its wall clock. */
export function decide(record: OnceRecord, wish: Wish, nowMs: number): Decision {
  const known = settled(record, wish);
  if (known !== null) return known;
  const { open } = seriesIn(record, wish.series);
  const isOpen = open !== null && compareOccasions(open.occasion, wish.occasion) === 0;
  const attempt = isOpen ? open.attempt : 0;
  const failures = isOpen ? open.failures : 0;
  const moment = momentOf(wish.occasion);
  if (wish.misfire === 'skip' && moment !== null && nowMs - moment > wish.lateMs)
    return { do: 'end', outcome: 'skipped', error: `it was late by ${nowMs - moment} ms` };
  if (attempt >= wish.maxAttempts)
    return { do: 'end', outcome: 'failed', error: `its work began ${attempt} times and did not end` };
  return { do: 'run', attempt: attempt + 1, failures };
}

/** The record in which an attempt has begun. An earlier occasion that is still open has failed: it will not be run again. */
export function begin(
  record: OnceRecord,
  { occasion, series }: Wish,
  { attempt, failures }: { readonly attempt: number; readonly failures: number },
  { member, token, at }: Actor,
): OnceRecord {
  const before = seriesIn(record, series);
  const { name, last, left } = withoutEarlier(before, occasion, at);
  const open = { occasion, member, token, attempt, failures, began: at };
  return withSeries(record, { name, last, open }, ...left);
}

/** The record in which an occasion has ended. */
export function end(
  record: OnceRecord,
  { occasion, series }: Wish,
  result: { readonly outcome: RunOutcome; readonly error?: string | undefined },
  { member, token, at }: Actor,
): OnceRecord {
  const before = seriesIn(record, series);
  assert(settled(record, { occasion, series }) === null, `${occasion} has ended before`);
  const { name, left } = withoutEarlier(before, occasion, at);
  const open = before.open?.occasion === occasion ? before.open : null;
  assert(result.outcome !== 'done' || open !== null, `${occasion} ends without having begun`);
  const { outcome } = result;
  const error = result.error === undefined ? {} : { error: shortError(result.error) };
  const attempt = open?.attempt ?? 0;
  const began = open?.began ?? null;
  const run: Run = { occasion, series, outcome, member, token, attempt, began, ended: at, ...error };
  return withSeries(record, { name, last: run, open: null }, ...left, run);
}

/** An occasion that began earlier, never ended, and is passed by a later one. */
function withoutEarlier(
  { name, last, open }: Series,
  occasion: Occasion,
  at: string,
): { readonly name: string; readonly last: Run | null; readonly left: readonly Run[] } {
  if (open === null || open.occasion === occasion) return { name, last, left: [] };
  const { member, token, attempt, began } = open;
  const error = 'it began and did not end before the next occasion';
  const run: Run = {
    occasion: open.occasion,
    series: name,
    outcome: 'failed',
    member,
    token,
    attempt,
    began,
    ended: at,
    error,
  };
  return { name, last: run, left: [run] };
}
