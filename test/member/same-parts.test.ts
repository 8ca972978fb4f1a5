/** Elections of a member share what is equal in them; their content stays as it is. */
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/core/index.ts';
import { SameParts } from '../../src/member/same-parts.ts';
import { catalogue } from '../../src/protocols/index.ts';

describe('equal parts', () => {
  it('are the first one that was seen', () => {
    const same = new SameParts();
    const first = [{ id: 'a', disk: 'x' }];
    expect(same.of(first)).toBe(first);
    expect(same.of([{ id: 'a', disk: 'x' }])).toBe(first);
    expect(same.of([{ id: 'a', disk: 'y' }])).not.toBe(first);
  });

  it('are of one kind: a text is never taken for what it is the JSON of', () => {
    const same = new SameParts();
    expect(same.of({})).toEqual({});
    expect(same.of('{}')).toBe('{}');
    expect(same.of('null')).toBe('null');
    expect(same.of(null)).toBeNull();
    expect(same.of(1)).toBe(1);
  });

  it('that are long are left as they are', () => {
    const same = new SameParts();
    const long = { value: 'x'.repeat(2000) };
    same.of({ ...long });
    expect(same.of(long)).toBe(long);
  });

  it('are forgotten once there are many different ones', () => {
    const same = new SameParts();
    const first = ['first'];
    same.of(first);
    for (let i = 0; i < 1000; i++) same.of(`${i}`);
    expect(same.of(['first'])).not.toBe(first);
  });

  it('of a record are shared, and it is the same text', () => {
    const same = new SameParts();
    const record = { disk: 'x', term: 3, votedFor: null, register: { members: ['a'] }, seen: {} };
    const text = JSON.stringify(record);
    const [a, b] = [same.in(record, text.length), same.in(structuredClone(record), text.length)];
    expect(JSON.stringify(a)).toBe(text);
    expect(JSON.stringify(b)).toBe(text);
    expect((b as typeof record).register).toBe((a as typeof record).register);
  });
});

it('the states of elections that rest share their members, and keep their content', () => {
  const definition = catalogue.quorum!;
  const protocol = definition.create({
    timing: readSettings(definition.timing, undefined, 'timing'),
    options: readSettings(definition.options, undefined, 'options'),
  });
  const parts = new SameParts();
  const [a, b] = [0, 1].map(() => {
    const state = protocol.init({ id: 'a', members: ['a', 'b'], settings: { priority: 1 } });
    const text = JSON.stringify(state);
    protocol.resting!.share!(state, (value) => parts.of(value));
    expect(JSON.stringify(state)).toBe(text);
    return state as { readonly register: object; readonly committed: object };
  });
  expect(b!.register).toBe(a!.register);
  expect(b!.committed).toBe(a!.register);
});
