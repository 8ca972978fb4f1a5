import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/cli/input/parse-json.ts';

function outcome(read: () => unknown): { value: unknown } | 'refused' {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

describe('parseJson', () => {
  it('reads all that JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const spread = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseJson(spread)).toEqual(JSON.parse(spread));
      }),
    );
  });

  it('refuses all that JSON.parse refuses, and tells where', () => {
    const broken = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(broken, ([text, at, length, instead]) => {
        const start = at % text.length;
        const changed = text.slice(0, start) + instead + text.slice(start + length);
        const expected = outcome(() => JSON.parse(changed));
        const found = outcome(() => parseJson(changed));
        // A name that stands twice is the only thing that JSON.parse lets pass.
        if (expected !== 'refused' && found === 'refused') {
          expect(() => parseJson(changed)).toThrow(/expected each name once/);
        } else {
          expect(found).toEqual(expected);
        }
        if (expected === 'refused')
          expect(() => parseJson(changed)).toThrow(/^not JSON: line \d+, column \d+: /);
      }),
      { numRuns: 2000 },
    );
  });
});
