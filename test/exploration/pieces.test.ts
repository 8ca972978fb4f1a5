import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect, MemberId, Protocol } from '../../src/core/index.ts';
import { canonicalText, isSame, type Json, plainHash } from '../../src/core/index.ts';
import { explore } from '../../src/exploration/index.ts';
import { countOf, leavesAsMuch, oneMore } from '../../src/exploration/model/bounds.ts';
import { messagesInFlight } from '../../src/exploration/model/in-flight.ts';
import { IntLists } from '../../src/exploration/model/interner.ts';
import { Memo } from '../../src/exploration/model/memo.ts';
import { aliasOf, rename } from '../../src/exploration/model/names.ts';
import { Frontier } from '../../src/exploration/search/frontier.ts';
import { StateStore } from '../../src/exploration/search/state-store.ts';
import { permutationsOf } from '../../src/exploration/search/symmetry.ts';

describe('equal data has equal text', () => {
  it('whatever the order of its fields', () => {
    expect(canonicalText({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map(reversed);
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, each]) => [key, reversed(each)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalText(reversed(value))).toBe(canonicalText(value));
      }),
    );
  });

  it('and what JSON would bend is refused, since different states would look alike', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 0]) {
      expect(() => canonicalText({ value })).toThrow('is not plain data');
    }
  });
});

describe('equal data has an equal hash', () => {
  it('if and only if it has an equal text', () => {
    const pairs = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const copy = JSON.parse(canonicalText(one)) as Json;
        expect(isSame(one as Json, copy)).toBe(true);
        expect(plainHash(copy)).toBe(plainHash(one));
        const isEqual = canonicalText(one) === canonicalText(other);
        expect(isSame(one as Json, other as Json)).toBe(isEqual);
        expect(plainHash(one) === plainHash(other)).toBe(isEqual);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it('and fields of the prototype are no fields of the data', () => {
    expect(isSame({ constructor: 1 }, {})).toBe(false);
    expect(isSame({}, { toString: 'x' })).toBe(false);
    expect(isSame({ a: 1, b: 2 }, { a: 1, c: 2 })).toBe(false);
  });

  it('and what JSON would bend has none', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 0])
      expect(() => plainHash({ value })).toThrow('is not plain data');
  });
});

describe('the store of states', () => {
  it('keeps each state once, with where it came from, through many growths', () => {
    const store = new StateStore(3);
    const stateOf = (i: number): Int32Array => Int32Array.of(i % 7, Math.imul(i, 0x9e3779b1), -i);
    for (let i = 0; i < 100_000; i++) expect(store.add(stateOf(i), i - 1, i % 11)).toBe(true);
    for (let i = 0; i < 100_000; i += 97) expect(store.add(stateOf(i), 0, 0)).toBe(false);
    expect(store.size).toBe(100_000);
    const read = new Int32Array(3);
    store.read(77_777, read);
    expect(read).toEqual(stateOf(77_777));
    expect([store.parent(77_777), store.action(77_777)]).toEqual([77_776, 77_777 % 11]);
  });
});

describe('lists of messages', () => {
  it('have one number each, and give it back', () => {
    const lists = new IntLists();
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 }), (list) => {
        const id = lists.id(list);
        expect(lists.value(id)).toEqual(list);
        expect(seen.get(list.join()) ?? id).toBe(id);
        seen.set(list.join(), id);
        expect(lists.size).toBe(seen.size);
      }),
      { numRuns: 20_000 },
    );
  });

  it('are sets where everything may arrive again, and bags where it may not', () => {
    for (const any of [true, false]) {
      fc.assert(
        fc.property(
          fc.array(fc.nat(9), { maxLength: 12 }),
          fc.array(fc.nat(9), { maxLength: 12 }),
          (a, b) => {
            const flight = messagesInFlight(any);
            const [first, second] = [flight.id(a), flight.id(b)];
            const all = [...a, ...b].sort((x, y) => x - y);
            const both = flight.with(first, second);
            expect(flight.lists.value(both)).toEqual(any ? [...new Set(all)] : all);
            if (!any) return;
            expect(flight.isWithin(first, both)).toBe(true);
            expect(flight.isWithin(both, first)).toBe(b.every((each) => a.includes(each)));
            expect(flight.lists.length(both)).toBe(new Set(all).size);
          },
        ),
      );
    }
  });

  it('are sets of any size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(5000)), fc.uniqueArray(fc.nat(5000)), (a, b) => {
        const { lists } = messagesInFlight(true);
        const order = (list: readonly number[]) => [...list].sort((x, y) => x - y);
        const [first, second] = [lists.id(order(a)), lists.id(order(b))];
        expect(lists.value(first)).toEqual(order(a));
        expect(lists.value(second)).toEqual(order(b));
        expect(lists.length(first)).toBe(a.length);
        expect(lists.id(a)).toBe(first); // In any order.
      }),
    );
  });

  it('lose one copy at a time', () => {
    const flight = messagesInFlight(false);
    expect(flight.lists.value(flight.without(flight.id([3, 1, 3]), 3))).toEqual([1, 3]);
  });
});

describe('a memo', () => {
  it('remembers what a map remembers', () => {
    const key = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(fc.array(fc.tuple(key, key, key), { maxLength: 2000 }), (questions) => {
        const memo = new Memo();
        const map = new Map<string, number>();
        for (const [i, question] of questions.entries()) {
          const known = memo.get(...question);
          expect(known).toBe(map.get(question.join()) ?? -1);
          if (known >= 0) continue;
          memo.set(i, ...question);
          map.set(question.join(), i);
        }
      }),
    );
  });
});

describe('the frontier', () => {
  it('hands out what has come least far, and of that what has the most messages', () => {
    const frontier = new Frontier();
    const states = [
      [1, 5],
      [0, 2],
      [2, 9],
      [0, 7],
    ] as const;
    for (const [i, [progress, messages]] of states.entries()) frontier.push(i, progress, messages);
    expect([frontier.pop(), frontier.pop(), frontier.pop()]).toEqual([3, 1, 0]);
    frontier.push(9, 0, 0); // Something less far may still turn up.
    expect([frontier.pop(), frontier.pop(), frontier.pop(), frontier.size]).toEqual([9, 2, undefined, 0]);
  });
});

describe('faults', () => {
  it('are counted apart from each other', () => {
    const faults = oneMore(oneMore(oneMore(0, 'crashes'), 'timers'), 'crashes');
    expect([countOf(faults, 'crashes'), countOf(faults, 'timers'), countOf(faults, 'drops')]).toEqual([
      2, 1, 0,
    ]);
  });

  it('leave as much if none has happened more often, and as many commands were given', () => {
    const crash = oneMore(0, 'crashes');
    expect([leavesAsMuch(0, crash), leavesAsMuch(crash, crash), leavesAsMuch(crash, 0)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(leavesAsMuch(crash, oneMore(0, 'drops'))).toBe(false);
    expect(leavesAsMuch(0, oneMore(0, 'commands'))).toBe(false);
  });
});

describe('exchanging members', () => {
  const [one, two, three] = [aliasOf(0), aliasOf(1), aliasOf(2)];

  it('renames ids wherever they are, and keeps sets sorted', () => {
    const value = {
      [`${one}`]: 2,
      voted: two,
      set: [one, two, three],
      queue: [two, one],
      timer: `ack ${one}`,
    };
    const swapped = {
      [`${two}`]: 2,
      voted: one,
      set: [one, two, three],
      queue: [one, two],
      timer: `ack ${two}`,
    };
    expect(rename(value, [two, one, three])).toEqual(swapped);
    expect(rename(value, ['a', 'b', 'c']).timer).toBe('ack a');
  });

  it('goes through all permutations, each with its inverse', () => {
    const permutations = permutationsOf(4);
    expect(permutations).toHaveLength(24);
    expect(permutations[0]!.to).toEqual([0, 1, 2, 3]);
    for (const { to, from, inverse } of permutations) {
      expect(to.map((at) => from[at])).toEqual([0, 1, 2, 3]);
      expect(permutations[inverse]!.to).toEqual(from);
    }
  });

  interface Seen {
    heard: MemberId[];
  }

  /** Everybody greets all others at a timeout, and does `hear` when greeted. */
  function greeters(hear: (state: Seen, self: MemberId, from: MemberId) => void): Protocol {
    return {
      name: 'greeters',
      pledges: [],
      init: ({ id, members }) => ({ id, members: [...members], heard: [], done: false }),
      step(state, input, out: Effect[]) {
        const s = state as Seen & { id: MemberId; members: MemberId[] };
        if (input.type === 'start') out.push({ type: 'set-timer', timer: 'greet', delayMs: 1 });
        if (input.type === 'message') hear(s, s.id, input.from);
        if (input.type !== 'timer') return;
        for (const to of s.members)
          if (to !== s.id) out.push({ type: 'send', to, message: { type: 'hello' } });
      },
    };
  }

  function asymmetry(hear: (state: Seen, self: MemberId, from: MemberId) => void): string | null {
    const members = [1, 2, 3].map((id) => ({ id }));
    return explore({ protocol: greeters(hear), members, bounds: { crashes: 0 }, samples: 0, covering: false })
      .asymmetry;
  }

  it('is done where all are alike', () => {
    const alike = (state: Seen, _: MemberId, from: MemberId): void => {
      state.heard = [...new Set([...state.heard, from])].sort();
    };
    expect(asymmetry(alike)).toBe(null);
  });

  it('is given up where ids are compared', () => {
    const compares = (state: Seen, self: MemberId, from: MemberId): void => {
      if (from > self) state.heard = [from];
    };
    expect(asymmetry(compares)).toBe('members differ in what they do on message');
  });

  it('is given up where a list of ids has an order that matters', () => {
    const lines = (state: Seen, _: MemberId, from: MemberId): void => {
      if (!state.heard.includes(from)) state.heard.push(from);
    };
    expect(asymmetry(lines)).toBe('a list of members has an order that matters');
  });
});
