import { describe, expect, it } from 'vitest';
import {
  anyJson,
  listOf,
  memberId,
  natural,
  nullable,
  optional,
  record,
  text,
  withParsedIds,
} from '../../src/core/index.ts';

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

describe('ids that are written as text', () => {
  const { schema } = record({
    leader: nullable(memberId),
    voters: listOf(record({ id: memberId, name: text(10) })),
    winner: optional(memberId),
  });

  it('are numbers wherever the shape has an id, and nowhere else', () => {
    const written = { leader: '12', voters: [{ id: '1', name: '2' }, { id: 'a' }], winner: '7', other: '8' };
    expect(withParsedIds(written, schema!)).toEqual({
      leader: 12,
      voters: [{ id: 1, name: '2' }, { id: 'a' }],
      winner: 7,
      other: '8',
    });
  });

  it('leave what is no id to the shape', () => {
    for (const wrong of [null, 'x', [], { leader: null, voters: 'all' }, { leader: ['1'] }])
      expect(withParsedIds(wrong, schema!)).toEqual(wrong);
  });
});
