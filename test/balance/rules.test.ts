/** The rules by which members spread the leaders of their elections: properties of the pure decision. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsOf, hasTooMany, type Move, nextMove, turnOf } from '../../src/balance/index.ts';
import { leastMoves, spreadOf } from './evenness.ts';

/** One election: its leader, and the members that stand in it. */
interface Led {
  readonly election: string;
  leader: number;
  readonly standing: readonly number[];
}

/** Members 1 to n, and elections that each have a leader among those that stand in it. */
const clusters = (all: boolean): fc.Arbitrary<{ members: number[]; elections: Led[] }> =>
  fc.integer({ min: 1, max: 7 }).chain((size) => {
    const members = Array.from({ length: size }, (_, i) => i + 1);
    const standing = all ? fc.constant(members) : fc.subarray(members, { minLength: 1 });
    const election = standing.chain((ids) =>
      fc.record({ standing: fc.constant(ids), leader: fc.constantFrom(...ids) }),
    );
    return fc
      .array(election, { maxLength: 40 })
      .map((list) => ({ members, elections: list.map((each, i) => ({ ...each, election: `e${i}` })) }));
  });

/** The move of each member that has one, the member whose turn comes first at the front. */
function moves(members: readonly number[], elections: readonly Led[]): Move[] {
  const counts = countsOf(elections.map(({ leader }) => leader));
  const found = members.flatMap((self) => {
    const own = elections.filter(({ leader }) => leader === self);
    const movable = own.map(({ election, standing }) => ({
      election,
      successors: standing.filter((id) => id !== self),
    }));
    const move = nextMove(self, counts, movable);
    return move === null ? [] : [{ move, turn: turnOf(self, counts) }];
  });
  return found.sort((a, b) => a.turn - b.turn).map(({ move }) => move);
}

/** Moves one election after the other until none moves any more; how many that were. */
function settle(members: readonly number[], elections: readonly Led[]): number {
  for (let count = 0; ; count++) {
    const [next] = moves(members, elections);
    if (next === undefined) return count;
    elections.find(({ election }) => election === next.election)!.leader = next.to as number;
  }
}

const countsIn = (members: readonly number[], elections: readonly Led[]): number[] =>
  members.map((id) => elections.filter(({ leader }) => leader === id).length);

describe('the balance of elections', () => {
  it('ends within one, after as few moves as can be, where all members stand in all elections', () => {
    fc.assert(
      fc.property(clusters(true), ({ members, elections }) => {
        const least = leastMoves(countsIn(members, elections));
        expect(settle(members, elections)).toBe(least);
        expect(spreadOf(countsIn(members, elections))).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('moves nothing where the counts are equal within one', () => {
    fc.assert(
      fc.property(clusters(true), ({ members, elections }) => {
        settle(members, elections);
        expect(moves(members, elections)).toEqual([]);
        const counts = countsOf(elections.map(({ leader }) => leader));
        expect(members.some((id) => hasTooMany(id, counts, members))).toBe(false);
      }),
    );
  });

  it('ends where members stand in different elections: no member has two more than one that could take over', () => {
    fc.assert(
      fc.property(clusters(false), ({ members, elections }) => {
        settle(members, elections);
        const counts = countsIn(members, elections);
        for (const { leader, standing } of elections)
          for (const id of standing) expect(counts[leader - 1]! - counts[id - 1]!).toBeLessThanOrEqual(1);
        for (const { leader, standing } of elections) expect(standing).toContain(leader);
      }),
    );
  });

  it('gives each member a turn of its own, the member that leads most first', () => {
    fc.assert(
      fc.property(clusters(true), ({ elections }) => {
        const counts = countsOf(elections.map(({ leader }) => leader));
        const ids = [...counts.keys()].sort((a, b) => turnOf(a, counts) - turnOf(b, counts));
        expect(ids.map((id) => turnOf(id, counts))).toEqual(ids.map((_, i) => i));
        const sorted = ids.map((id) => counts.get(id)!);
        expect(sorted).toEqual([...sorted].sort((a, b) => b - a));
      }),
    );
  });

  it('gives to the member that leads the fewest, and of several to the first by id', () => {
    const counts = countsOf([1, 1, 1, 1, 2, 10, null]);
    const movable = [
      { election: 'a', successors: [2] },
      { election: 'b', successors: [2, 10, 9] },
      { election: 'c', successors: [9, 3] },
    ];
    expect(nextMove(1, counts, movable)).toEqual({ election: 'c', to: 3 });
    expect(nextMove(1, counts, movable.slice(0, 2))).toEqual({ election: 'b', to: 9 });
    expect(nextMove(2, counts, movable)).toBeNull();
  });
});
