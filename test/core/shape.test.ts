import { describe, expect, it } from 'vitest';
import { anyJson, listOf, memberId, natural, nullable, optional, record } from '../../src/core/index.ts';

/** Lists in lists, as deep as a message of half a megabyte can have them. */
function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

describe('a value that is nested too deeply', () => {
  it('is refused like any other bad input', () => {
    expect(anyJson.read(nested(100), 'value')).toEqual(nested(100));
    const expected = expect.objectContaining({ code: 'BAD_INPUT', path: 'value' });
    expect(() => anyJson.read(nested(101), 'value')).toThrow(expected);
    expect(() => anyJson.read(nested(250_000), 'value')).toThrow(expected);
    expect(() => anyJson.read({ a: nested(250_000) }, 'value')).toThrow(expected);
  });

  it('is refused where something else was expected', () => {
    expect(() => natural.read(nested(250_000), 'term')).toThrow(
      /^term: expected a whole number .*, found something that cannot be shown$/,
    );
  });
});

describe('a shape', () => {
  it('says which fields name members, also where they are optional, may be null or are lists', () => {
    const { fields } = record<object>({
      voterId: memberId,
      leader: nullable(memberId),
      voters: optional(listOf(memberId)),
      term: natural,
      terms: listOf(nullable(natural)),
    } as object);
    const naming = Object.entries(fields!).filter(([, shape]) => shape.ids === true);
    expect(naming.map(([name]) => name)).toEqual(['voterId', 'leader', 'voters']);
  });
});
