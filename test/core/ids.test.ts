import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addId, compareIds, idSet, majority, outranks, preferredId, removeId } from '../../src/core/index.ts';

const ids = fc.oneof(fc.nat(), fc.string({ minLength: 1, maxLength: 5 }));
const lists = fc.array(ids, { maxLength: 12 });

describe('ids', () => {
  it('have a total order', () => {
    fc.assert(
      fc.property(ids, ids, ids, (a, b, c) => {
        expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) + 0);
        expect(compareIds(a, b) === 0).toBe(a === b);
        if (compareIds(a, b) <= 0 && compareIds(b, c) <= 0) expect(compareIds(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('order numbers by value and before strings', () => {
    expect(idSet(['b', 10, 'a', 9, '2'])).toEqual([9, 10, '2', 'a', 'b']);
  });

  it('kept as a sorted list behave like a set', () => {
    fc.assert(
      fc.property(lists, ids, (list, id) => {
        const set = idSet(list);
        const had = list.includes(id);
        expect(addId(set, id)).toBe(!had);
        expect(set).toEqual(idSet([...list, id]));
        expect(removeId(set, id)).toBe(true);
        expect(set).toEqual(idSet(list.filter((each) => each !== id)));
      }),
    );
  });

  it('one is preferred to all others, at either end', () => {
    fc.assert(
      fc.property(lists, fc.constantFrom('highest', 'lowest'), (list, prefer) => {
        const best = preferredId(list, prefer as 'highest');
        expect(best === null).toBe(list.length === 0);
        for (const id of list) if (id !== best) expect(outranks(best!, id, prefer as 'highest')).toBe(true);
      }),
    );
  });
});

describe('a majority', () => {
  it('shares a voter with every other majority, and is the smallest that does', () => {
    for (let n = 1; n <= 100; n++) {
      expect(2 * majority(n)).toBeGreaterThan(n);
      expect(2 * (majority(n) - 1)).toBeLessThanOrEqual(n);
    }
  });
});
