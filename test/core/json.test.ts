import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clonePlain, transition } from '../../src/core/index.ts';
import { epoch } from '../../src/protocols/epoch.ts';

describe('plain data', () => {
  it('is copied deeply and completely', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(clonePlain(value)).toEqual(value);
      }),
    );
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(JSON.stringify(clonePlain(hostile))).toBe(JSON.stringify(hostile));
    const inner = { list: [1, { deep: true }] };
    const copy = clonePlain(inner);
    expect(copy.list).not.toBe(inner.list);
    expect(copy.list[1]).not.toBe(inner.list[1]);
  });
});

describe('transition', () => {
  it('leaves the state it was given alone', () => {
    const protocol = epoch.create({ timing: { heartbeatMs: 1, timeoutMs: [1, 2] }, options: {} });
    const before = protocol.init({ id: 1, members: [1, 2, 3], settings: {} });
    const copy = clonePlain(before);
    const { state, effects } = transition(protocol, before, { type: 'timer', timer: 'wait' });
    expect(before).toEqual(copy);
    expect(state).not.toEqual(copy);
    expect(effects.length).toBeGreaterThan(0);
  });
});
