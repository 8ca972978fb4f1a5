/**
 * The rules of `once` for work of which another right than the leadership decides who may do it: the ownership of a
 * shard, whose tokens grow. Records are changed by any owner, one after the other, each from the last one. Two rules make
 * up for owners that were paused and are late:
 *   - no beginning is recorded with a smaller token than one that is recorded;
 *   - an end is recorded only if the last beginning is that of the same token and attempt.
 * So what is promised is the same (rules.ts): at most one end for each occasion, and none for an attempt after which
 * another one has begun.
 */

import { type OnceRecord, type Run, type RunOutcome, type Series, seriesIn } from './record.ts';
import { type Actor, begin, type Decision, decide, end, type Wish } from './rules.ts';

export type OwnedDecision =
  | Exclude<Decision, { readonly do: 'run' }>
  | { readonly do: 'begin'; readonly record: OnceRecord; readonly attempt: number; readonly failures: number }
  /** A later owner has recorded something. */
  | { readonly do: 'yield' };

/** What an owner does with an occasion. `failures`: of earlier attempts of this call; null if there were none. */
export function beginOwned(
  record: OnceRecord,
  wish: Wish,
  actor: Actor,
  { nowMs, failures }: { readonly nowMs: number; readonly failures: number | null },
): OwnedDecision {
  const decision = decide(record, wish, nowMs);
  if (decision.do === 'answer' || decision.do === 'refuse') return decision;
  if (isSuperseded(seriesIn(record, wish.series), actor.token)) return { do: 'yield' };
  if (decision.do === 'end') return decision;
  const begun = { attempt: decision.attempt, failures: failures ?? decision.failures };
  return { do: 'begin', record: begin(record, wish, begun, actor), ...begun };
}

/** The record with this end; null if the attempt is not the one that was begun last, so that nothing is recorded. */
export function endOwned(
  record: OnceRecord,
  wish: Wish,
  attempt: number,
  result: { readonly outcome: RunOutcome; readonly error?: string | undefined },
  actor: Actor,
): OnceRecord | null {
  const { open } = seriesIn(record, wish.series);
  const isOurs = open?.token === actor.token && open.attempt === attempt && open.occasion === wish.occasion;
  return isOurs ? end(record, wish, result, actor) : null;
}

/** What is recorded of an occasion that has ended with this token; null if that is not so. */
export function endedWith(record: OnceRecord, { occasion, series }: Wish, token: string): Run | null {
  const { last } = seriesIn(record, series);
  return last?.occasion === occasion && last.token === token ? last : null;
}

function isSuperseded({ last, open }: Series, token: string): boolean {
  return [last, open].some((each) => each !== null && BigInt(each.token) > BigInt(token));
}
