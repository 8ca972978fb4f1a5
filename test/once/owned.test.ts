/** The rules by which owners of a shard record its occasions: every order of owners, also of late ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beginOwned,
  EMPTY_RECORD,
  endOwned,
  type OnceRecord,
  readRecord,
  seriesIn,
  type Wish,
  writeRecord,
} from '../../src/once/index.ts';

const rules = { beginOwned, endOwned };
type Rules = typeof rules;

const wishFor = (occasion: number): Wish => ({
  occasion,
  series: 'shard-0',
  misfire: 'run',
  lateMs: 0,
  retries: 0,
  maxAttempts: 1000,
});

/** What one owner does next: it begins an occasion, or ends what it began last. Owners may be late at both. */
interface Act {
  readonly owner: number;
  readonly does: 'begin' | 'end' | 'fail';
}

const acts = fc.array(
  fc.record({
    owner: fc.integer({ min: 1, max: 4 }),
    does: fc.constantFrom<Act['does'][]>('begin', 'begin', 'end', 'end', 'fail'),
  }),
  { minLength: 5, maxLength: 60 },
);

/** Plays these acts, each on the last record; what is wrong with what was recorded. */
function play(list: readonly Act[], { beginOwned: begins, endOwned: ends }: Rules): string[] {
  let record: OnceRecord = EMPTY_RECORD;
  const problems: string[] = [];
  const begun = new Map<number, { readonly occasion: number; readonly attempt: number }>();
  const ended = new Map<number, number>();
  let lastBegun = { owner: 0, attempt: 0, occasion: 0 };
  for (const { owner, does } of list) {
    const actor = { member: `m${owner}`, token: String(owner), at: '2026-11-16T00:00:00.000Z' };
    const { last } = seriesIn(record, 'shard-0');
    if (does === 'begin') {
      const occasion = Number(last?.occasion ?? 0) + 1;
      const decision = begins(record, wishFor(occasion), actor, { nowMs: 0, failures: null });
      if (decision.do !== 'begin') continue;
      if (owner < lastBegun.owner) problems.push('an earlier owner begins after a later one');
      record = decision.record;
      begun.set(owner, { occasion, attempt: decision.attempt });
      lastBegun = { owner, attempt: decision.attempt, occasion };
      continue;
    }
    const mine = begun.get(owner);
    if (mine === undefined) continue;
    const outcome = does === 'end' ? 'done' : 'failed';
    let next: OnceRecord | null = null;
    try {
      next = ends(record, wishFor(mine.occasion), mine.attempt, { outcome }, actor);
    } catch {
      problems.push('an end is recorded twice');
    }
    if (next === null) continue;
    record = next;
    ended.set(mine.occasion, (ended.get(mine.occasion) ?? 0) + 1);
    if (ended.get(mine.occasion)! > 1) problems.push('an end is recorded twice');
    if (lastBegun.owner !== owner || lastBegun.attempt !== mine.attempt)
      problems.push('an attempt ends although a later one has begun');
  }
  return problems;
}

/** The first of many random lists that shows this problem, or null. */
function finds(tried: Partial<Rules>, problem: string): boolean {
  const { failed } = fc.check(
    fc.property(acts, (list) => !play(list, { ...rules, ...tried }).includes(problem)),
    { numRuns: 5000, seed: 1 },
  );
  return failed;
}

describe('occasions that owners record', () => {
  it('end at most once, by the attempt that was begun last, and no earlier owner begins after a later one', () => {
    fc.assert(
      fc.property(acts, (list) => {
        expect(play(list, rules)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('are found out if a rule is left out', () => {
    const unchecked: Rules['endOwned'] = (record, wish, _, result, actor) => {
      const { open } = seriesIn(record, wish.series);
      return open === null
        ? null
        : (endOwned(record, wish, open.attempt, result, { ...actor, token: open.token }) ?? null);
    };
    expect(finds({ endOwned: unchecked }, 'an attempt ends although a later one has begun')).toBe(true);
    const late: Rules['beginOwned'] = (record, wish, actor, how) =>
      beginOwned(record, wish, { ...actor, token: '1000' }, how);
    expect(finds({ beginOwned: late }, 'an earlier owner begins after a later one')).toBe(true);
  });

  it('of sixteen shards fit into 16 KiB, also if all have failed with long errors and are open again', () => {
    let record: OnceRecord = EMPTY_RECORD;
    for (let round = 1; round <= 3; round++)
      for (let shard = 16; shard < 32; shard++) {
        const occasion = `2026-11-16T00:00:0${round}.000Z`;
        const wish = { ...wishFor(0), occasion, series: `shard-${shard + 900}.a-rather-long-series` };
        const actor = { member: 'worker-7d9f8b6c5d-abcde', token: '123456789', at: occasion };
        const begun = beginOwned(record, wish, actor, { nowMs: 0, failures: null });
        if (begun.do !== 'begin') throw new Error(begun.do);
        record = begun.record;
        if (round === 3) continue;
        const error = `x${'y'.repeat(300)}`;
        record = endOwned(record, wish, begun.attempt, { outcome: 'failed', error }, actor)!;
      }
    const value = writeRecord(record);
    expect(JSON.stringify(value).length).toBeLessThan(16_384);
    expect(readRecord(value, 'value')).toEqual(record);
  });
});
