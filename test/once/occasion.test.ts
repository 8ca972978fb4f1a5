import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { due, type FireTimes, instantAt, momentOf, parseOccasion } from '../../src/once/index.ts';

describe('an occasion', () => {
  it.each([
    [7, 7],
    ['7', 7],
    ['2026-11', '2026-11'],
    ['2026-W47', '2026-W47'],
    ['2028-02-29', '2028-02-29'],
    ['2026-11-16T03:00Z', '2026-11-16T03:00:00.000Z'],
    ['2026-11-16T03:00:00.5+01:30', '2026-11-16T01:30:00.500Z'],
    ['2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
  ])('%s is written %s', (given, written) => expect(parseOccasion(given)).toBe(written));

  it.each([
    '',
    'tomorrow',
    '2026-13',
    '2026-02-29',
    '2026-W54',
    '2026-11-16T25:00Z',
    1.5,
    Number.NaN,
    null,
    '1e3',
    '007',
  ])('%s is none', (given) =>
    expect(() => parseOccasion(given)).toThrow(/^occasion: expected a whole number, a month/),
  );

  it('with a time needs a zone', () => {
    expect(() => parseOccasion('2026-11-16T03:00:00')).toThrow(
      'occasion: expected a zone at the end, Z or +01:00, since replicas may differ, found "2026-11-16T03:00:00"',
    );
  });

  it('is written as the platform writes dates, and read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (ms) => {
        expect(instantAt(ms)).toBe(new Date(ms).toISOString());
        expect(momentOf(parseOccasion(new Date(ms).toISOString()))).toBe(ms);
      }),
    );
  });
});

/** Every ten. */
const tens: FireTimes = {
  after: (ms) => Math.floor(ms / 10) * 10 + 10,
  before: (ms, downTo) => {
    const last = Math.ceil(ms / 10) * 10 - 10;
    return last > downTo ? last : null;
  },
};

describe('what is due', () => {
  const asked = { sinceMs: 100, openMs: null, nowMs: 135, catchUp: 'last', lateMs: 6 } as const;

  it.each([
    ['all', 110],
    ['last', 130],
    ['none', 130],
  ] as const)('after a gap, with %s', (catchUp, dueMs) =>
    expect(due(tens, { ...asked, catchUp })).toEqual({ dueMs, nextMs: null }),
  );

  it('is nothing that is too late, with none', () => {
    expect(due(tens, { ...asked, nowMs: 138, catchUp: 'none' })).toEqual({ dueMs: null, nextMs: 140 });
  });

  it('is nothing while the clock is behind: no fire time comes twice', () => {
    expect(due(tens, { ...asked, nowMs: 50 })).toEqual({ dueMs: null, nextMs: 110 });
    expect(due(tens, { ...asked, nowMs: 109, catchUp: 'all' })).toEqual({ dueMs: null, nextMs: 110 });
  });

  it('is first what has begun and not ended', () => {
    expect(due(tens, { ...asked, openMs: 110 })).toEqual({ dueMs: 110, nextMs: null });
    expect(due(tens, { ...asked, openMs: 110, catchUp: 'none' })).toEqual({ dueMs: 130, nextMs: null });
    expect(due(tens, { ...asked, openMs: 100 })).toEqual({ dueMs: 130, nextMs: null });
  });
});
