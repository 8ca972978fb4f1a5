/** The rules of `once`: in every order of crashes, and with each planted fault found. */
import { describe, expect, it } from 'vitest';
import {
  decide,
  EMPTY_RECORD,
  end,
  type OnceRecord,
  readRecord,
  seriesIn,
  type Wish,
  writeRecord,
} from '../../src/once/index.ts';
import { type Bounds, explore, type Rules, rules } from './model.ts';

const BOUNDS: Bounds = { occasions: [1, 2], crashes: 3, failures: 2, retries: 1, maxAttempts: 3 };

const wish: Wish = { occasion: 1, series: 'main', misfire: 'run', lateMs: 0, retries: 0, maxAttempts: 3 };

/** What is wrong with each, and what it breaks. */
const PLANTED: readonly (readonly [string, Partial<Rules>, string])[] = [
  [
    'the completion is recorded before the work',
    {
      begin: (record, asked, begun, actor) =>
        end(rules.begin(record, asked, begun, actor), asked, { outcome: 'done' }, actor),
    },
    'done is recorded without work',
  ],
  [
    'an attempt that was cut short is not counted',
    {
      decide: (record, asked, nowMs) => {
        const decision = rules.decide(record, asked, nowMs);
        return decision.do === 'run' ? { ...decision, attempt: 1 } : decision;
      },
    },
    'an attempt has the number of an earlier one',
  ],
  [
    'an equal occasion is run again',
    {
      decide: (record, asked, nowMs) => {
        const decision = rules.decide(record, asked, nowMs);
        return decision.do === 'answer' ? { do: 'run', attempt: 1, failures: 0 } : decision;
      },
    },
    'work begins after its end was recorded',
  ],
  [
    'a failure is not final',
    {
      decide: (record, asked, nowMs) => {
        const { last } = seriesIn(record, 'main');
        const isFailed = last?.outcome === 'failed' && last.occasion === asked.occasion;
        return isFailed
          ? { do: 'run', attempt: last.attempt + 1, failures: 0 }
          : rules.decide(record, asked, nowMs);
      },
    },
    'work begins after its end was recorded',
  ],
  [
    'what has begun counts as ended',
    {
      decide: (record, asked, nowMs) => {
        const { open } = seriesIn(record, 'main');
        return open === null ? rules.decide(record, asked, nowMs) : { do: 'refuse', expected: 'another one' };
      },
    },
    'an occasion never ends',
  ],
  [
    'beginnings have no limit',
    { decide: (record, asked, nowMs) => decide(record, { ...asked, maxAttempts: 1000 }, nowMs) },
    'work begins more often than it may',
  ],
  [
    'an end is recorded without the ends before it',
    {
      end: (record, ...more) => ({
        ...rules.end(record, ...more),
        runs: rules.end(record, ...more).runs.slice(-1),
      }),
    },
    'an end is forgotten',
  ],
];

describe('the rules of once', () => {
  it('hold in every order of three crashes and two failures', () => {
    const { runs, broken } = explore(rules, BOUNDS);
    expect(broken).toEqual([]);
    expect(runs).toMatchInlineSnapshot(`5318`);
  });

  it.each(PLANTED)('notice if %s', (_, planted, breaks) => {
    expect(explore({ ...rules, ...planted }, BOUNDS).broken).toContain(breaks);
  });

  it('pass an earlier occasion that never ended, and record it as failed', () => {
    const actor = { member: 'a', token: '1', at: '2026-11-16T03:00:00.000Z' };
    const open = rules.begin(EMPTY_RECORD, wish, { attempt: 1, failures: 0 }, actor);
    const next = rules.begin(
      open,
      { ...wish, occasion: 2 },
      { attempt: 1, failures: 0 },
      { ...actor, token: '2' },
    );
    expect(next.runs).toMatchObject([{ occasion: 1, outcome: 'failed', token: '1', attempt: 1 }]);
    expect(decide(next, wish, 0)).toMatchObject({ do: 'answer', run: { outcome: 'failed' } });
    expect(decide(next, { ...wish, occasion: 0 }, 0)).toEqual({
      do: 'refuse',
      expected: 'an occasion after 2, which has begun',
    });
  });

  it('keep a record within its bounds, and read back what they wrote', () => {
    let record: OnceRecord = EMPTY_RECORD;
    const at = new Date(0).toISOString();
    const error = 'e'.repeat(1000);
    for (let occasion = 1; occasion <= 100; occasion++) {
      const actor = { member: 'x'.repeat(200), token: String(occasion), at };
      const asked = { ...wish, occasion };
      record = rules.begin(record, asked, { attempt: 1, failures: 0 }, actor);
      record = rules.end(record, asked, { outcome: 'failed', error }, actor);
      expect(JSON.stringify(writeRecord(record)).length).toBeLessThan(8192);
    }
    expect(record.runs.at(-1)!.occasion).toBe(100);
    expect(readRecord(JSON.parse(JSON.stringify(writeRecord(record))), '')).toEqual(record);
  });
});
