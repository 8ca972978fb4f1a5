import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrap } from '../../src/cli/terminal/wrap.ts';

describe('wrap', () => {
  it('keeps both ends of an arrow together where they fit', () => {
    expect(wrap('1: vote → 2 and 3', 12, 2)).toEqual(['1: vote → 2', '  and 3']);
    expect(wrap('1 leads: vote → 2', 12, 2)).toEqual(['1 leads:', '  vote → 2']);
  });

  it('cuts a word that fits no line, if it can after a sign', () => {
    expect(wrap('9: register/answer(follower) → 7', 16, 2)).toEqual([
      '9:',
      '  register/',
      '  answer(',
      '  follower) → 7',
    ]);
    expect(wrap('abcdefghij', 4, 1)).toEqual(['abcd', ' efg', ' hij']);
  });

  it('never loses a letter and never exceeds the columns', () => {
    const text = fc.array(fc.constantFrom('a', 'bb', 'longer', 'much/longer(still)', '→', '·'), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 30 }), (words, columns) => {
        const lines = wrap(words.join(' '), columns, 2);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
      }),
    );
  });
});
