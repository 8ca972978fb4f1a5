/** The rules by which shards get owners: properties of the plan, and each planted fault found. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyTable,
  liveSlots,
  nextTable,
  type Register,
  readRegister,
  readTable,
  recordElections,
  resized,
  type Table,
  writeRegister,
  writeTable,
} from '../../src/shards/index.ts';
import { PROBLEMS, playPartition, type Rules, rules } from './model.ts';

const SEEDS = 500;
const MOST_SEEDS = 5000;

/** The first seed that finds this problem. */
function findingSeed(tried: Rules, problem: string): number {
  for (let seed = 0; seed < MOST_SEEDS; seed++) if (playPartition(seed, tried).includes(problem)) return seed;
  return MOST_SEEDS;
}

/** What is wrong with each, and what it breaks. */
const PLANTED: readonly (readonly [string, Partial<Rules>, string])[] = [
  [
    'a shard that is asked back is given away before it is released',
    {
      nextTable: (table, registers, moving) => {
        const next = rules.nextTable(table, registers, moving);
        const live = liveSlots(next, registers);
        const shards = next.shards.map((shard) =>
          shard.isLeaving ? { slot: live.at(-1)!, token: shard.token + 1, isLeaving: false } : shard,
        );
        return { ...next, shards };
      },
    },
    PROBLEMS.two,
  ],
  [
    'a slot without a leader counts as a session that has ended',
    {
      nextTable: (table, registers, moving, leaders) =>
        rules.nextTable(
          table,
          registers.map((register, slot) =>
            register !== null && leaders?.[slot] === null ? { ...register, name: null } : register,
          ),
          moving,
        ),
    },
    PROBLEMS.two,
  ],
  [
    'a release is believed whatever its token',
    {
      nextTable: (table, registers, moving) =>
        rules.nextTable(
          table,
          registers.map((register) =>
            register === null
              ? null
              : {
                  ...register,
                  released: register.released.map(([shard]) => [shard, table.shards[shard]!.token] as const),
                },
          ),
          moving,
        ),
    },
    PROBLEMS.two,
  ],
  [
    'tokens do not grow',
    {
      nextTable: (table, registers, moving) => {
        const next = rules.nextTable(table, registers, moving);
        return {
          ...next,
          shards: next.shards.map((shard) => ({ ...shard, token: Math.min(shard.token, 1) })),
        };
      },
    },
    PROBLEMS.token,
  ],
  [
    'an owner believes a table that names an earlier session of its slot',
    {
      ordersIn: (table, holding) => {
        const known = table.sessions[holding.slot] ?? null;
        return rules.ordersIn(table, known === null ? holding : { ...holding, session: known.token });
      },
    },
    PROBLEMS.two,
  ],
  [
    'an owner forgets what it has released',
    { ordersIn: (table, holding) => rules.ordersIn(table, { ...holding, released: new Map() }) },
    PROBLEMS.two,
  ],
  ['an owner releases before its work has stopped', { stopsFirst: false }, PROBLEMS.two],
  [
    'a release is said once, and not again until it is heard',
    { ordersIn: (table, holding) => ({ ...rules.ordersIn(table, holding), unheard: [] }) },
    PROBLEMS.still,
  ],
  [
    'shards never move for the sake of balance',
    { nextTable: (table, registers) => rules.nextTable(table, registers, 0) },
    PROBLEMS.still,
  ],
];

describe('the rules of shards', () => {
  it('never let two replicas act on one shard, and end balanced, whatever dies, stalls and is read late', () => {
    for (let seed = 0; seed < SEEDS; seed++)
      expect({ seed, problems: playPartition(seed, rules) }).toEqual({ seed, problems: [] });
  });

  for (const [what, planted, broken] of PLANTED) {
    it(`finds the fault: ${what}`, () => {
      expect(findingSeed({ ...rules, ...planted }, broken)).toBeLessThan(MOST_SEEDS);
    });
  }
});

const registerOf = (slot: number, size: number): Register => ({
  token: BigInt(slot + 1),
  name: `r${slot}`,
  size,
  released: [],
});

/** What the replicas do at once: all that is asked for is released. */
function released(table: Table, registers: readonly (Register | null)[]): (Register | null)[] {
  return registers.map((register, slot) =>
    register === null
      ? null
      : {
          ...register,
          released: table.shards.flatMap((shard, i) =>
            shard.isLeaving && shard.slot === slot ? [[i, shard.token] as const] : [],
          ),
        },
  );
}

function countsOf(table: Table): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { slot } of table.shards) if (slot !== null) counts.set(slot, (counts.get(slot) ?? 0) + 1);
  return counts;
}

/** Until nothing changes; the tables on the way. */
function settle(table: Table, registers: readonly (Register | null)[]): Table[] {
  const tables = [table];
  for (let round = 0; round < 10_000; round++) {
    const last = tables.at(-1)!;
    const next = nextTable(last, released(last, registers));
    if (next === last) return tables;
    tables.push(next);
  }
  throw new Error('the plan does not settle');
}

describe('the plan', () => {
  const sizes = fc.integer({ min: 1, max: 60 });
  const fleets = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });

  it('balances within one, with as few moves as can be, and the same every time', () => {
    fc.assert(
      fc.property(sizes, fleets, fleets, (size, before, after) => {
        const first = before.map((isThere, slot) => (isThere ? registerOf(slot, size) : null));
        const start = settle(emptyTable(size), first).at(-1)!;
        // The second fleet: those that have left say so, those that came are new.
        const second = Array.from({ length: Math.max(before.length, after.length) }, (_, slot) => {
          if (after[slot] === true) return registerOf(slot, size);
          return before[slot] === true ? { ...registerOf(slot, size), name: null } : null;
        });
        const tables = settle(start, second);
        const end = tables.at(-1)!;
        expect(settle(start, second).at(-1)).toEqual(end);
        const live = liveSlots(end, second);
        const counts = countsOf(end);
        const loads = live.map((slot) => counts.get(slot) ?? 0);
        if (live.length === 0) {
          expect(end.shards.every(({ slot }) => slot === null)).toBe(true);
          return;
        }
        expect(loads.reduce((a, b) => a + b, 0)).toBe(size);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);

        // Those that must move: all of a replica that is gone, and what is above the share of one that stayed.
        const loadsBefore = countsOf(start);
        const least = Math.floor(size / live.length);
        let extra = size % live.length;
        let kept = 0;
        const stayed = live.map((slot) => loadsBefore.get(slot) ?? 0).sort((a, b) => b - a);
        for (const load of stayed) {
          const share = extra > 0 && load > least ? least + 1 : least;
          if (share > least) extra -= 1;
          kept += Math.min(load, share);
        }
        const moved = end.shards.filter(({ slot, token }, i) => {
          const was = start.shards[i]!;
          expect(token > was.token).toBe(slot !== was.slot || was.slot === null || token !== was.token);
          return token !== was.token;
        });
        expect(moved.length).toBe(size - kept);
        for (const table of tables.slice(1))
          expect(table.shards.filter(({ isLeaving }) => isLeaving).length).toBeLessThanOrEqual(
            Math.max(1, Math.ceil(size / 8)),
          );
      }),
      { numRuns: 300 },
    );
  });

  it('gives nothing to a replica that counts other shards', () => {
    const table = nextTable(emptyTable(4), [registerOf(0, 4), registerOf(1, 5)]);
    expect(table.shards.map(({ slot }) => slot)).toEqual([0, 0, 0, 0]);
  });

  it('goes on above all tokens when the number of shards changes', () => {
    const table = nextTable(emptyTable(4), [registerOf(0, 4)]);
    const other = nextTable(table, [{ ...registerOf(0, 4), name: null }]);
    expect(liveSlots(other, [])).toEqual([]);
    const larger = nextTable(resized(other, 6), [{ ...registerOf(0, 6), token: 9n }]);
    expect(larger.shards.map(({ token }) => token)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('is read as it was written, and nothing else is read as a table', () => {
    const registers = [registerOf(0, 5), null, { ...registerOf(2, 5), token: 12345678901234567890n }];
    const table = nextTable(emptyTable(5), registers);
    const through = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
    expect(readTable(through(writeTable(table)), 'value')).toEqual(table);
    const register: Register = {
      ...registerOf(3, 5),
      released: [
        [1, 2],
        [3, 4],
      ],
    };
    expect(readRegister(through(writeRegister(register)), 'value')).toEqual(register);
    expect(readTable(null, 'value')).toBe(null);
    for (const other of [1, 'x', {}, { caucus: 'once' }, writeRegister(register)])
      expect(() => readTable(other, 'value')).toThrow('value: expected a table of shards');
    const gap = { ...(writeTable(table) as object), tokens: [1] } as ReturnType<typeof writeTable>;
    expect(() => readTable(gap, 'value')).toThrow('one with gaps');
  });

  it('fits into 16 KiB with a thousand shards', () => {
    const registers = Array.from({ length: 20 }, (_, slot) => ({
      ...registerOf(slot, 1000),
      name: `replica-${slot}-with-a-long-name`,
    }));
    const table = nextTable(
      resized({ ...emptyTable(1), shards: [{ slot: null, token: 99_999, isLeaving: false }] }, 1000),
      registers,
    );
    expect(JSON.stringify(writeTable(table)).length).toBeLessThan(16 * 1024);
  });

  it('says in which elections is recorded what was run, of which sixteen shards share each', () => {
    const of = (size: number): readonly string[] => recordElections('orders', writeTable(emptyTable(size)));
    expect(of(16)).toEqual(['orders.shards.r0']);
    expect(of(17)).toEqual(['orders.shards.r0', 'orders.shards.r1']);
    expect(of(1000)).toHaveLength(63);
    expect(of(1000).at(-1)).toBe('orders.shards.r62');
    for (const other of [null, 1, {}, { caucus: 'once' }])
      expect(recordElections('orders', other)).toEqual([]);
  });
});
