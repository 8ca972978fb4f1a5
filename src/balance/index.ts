/**
 * The rules by which members spread the leaders of their elections evenly. Each member counts, as far as it knows, how
 * many elections each member leads, and gives one of its own to a member that leads at least two fewer.
 *
 * Promises, if all members know the same counts and one of them moves at a time:
 *   - every move makes the counts more even (the sum of their squares falls), so the moves end;
 *   - they end when no member leads two more than another one that may take over one of its elections. Where all may
 *     take over all, all counts are then equal within one, and no fewer moves would have done that;
 *   - nothing moves where that holds already.
 *
 * Does not promise: that counts become equal where members stand in different elections, and only a chain of moves
 * over a third member would help.
 *
 * Members that decide at once could all give to the same member, and it would then lead too many. So they take turns:
 * `turnOf` says after how many others a member may move. The caller waits that long, and begins anew at every change.
 */
import { compareIds, type MemberId } from '../core/index.ts';

/** How many elections each member leads; a member that is missing leads none. */
export type Counts = ReadonlyMap<MemberId, number>;

/** An election that this member leads and may give away. */
export interface Movable {
  readonly election: string;
  /** The members that could take it over now, and are not less preferred than its leader. */
  readonly successors: readonly MemberId[];
}

export interface Move {
  readonly election: string;
  readonly to: MemberId;
}

export function countsOf(leaders: Iterable<MemberId | null>): Counts {
  const counts = new Map<MemberId, number>();
  for (const leader of leaders) if (leader !== null) counts.set(leader, (counts.get(leader) ?? 0) + 1);
  return counts;
}

/** Does one of these members lead at least two fewer than this one? */
export function hasTooMany(self: MemberId, counts: Counts, members: readonly MemberId[]): boolean {
  const most = (counts.get(self) ?? 0) - 2;
  return members.some((id) => id !== self && (counts.get(id) ?? 0) <= most);
}

/**
 * The next move of this member, or null: to the member that leads the fewest, the first of several by id. Of the
 * elections that this member may take over it gets the first one.
 */
export function nextMove(self: MemberId, counts: Counts, movable: readonly Movable[]): Move | null {
  const most = (counts.get(self) ?? 0) - 2;
  let best: (Move & { readonly count: number }) | null = null;
  for (const { election, successors } of movable) {
    for (const to of successors) {
      const count = counts.get(to) ?? 0;
      if (to === self || count > most) continue;
      const order = best === null ? -1 : count - best.count || compareIds(to, best.to);
      if (order < 0) best = { election, to, count };
    }
  }
  return best === null ? null : { election: best.election, to: best.to };
}

/** After how many others this member may move: those that lead more, or as many and come first by id. */
export function turnOf(self: MemberId, counts: Counts): number {
  const own = counts.get(self) ?? 0;
  let before = 0;
  for (const [id, count] of counts)
    if (id !== self && (count > own || (count === own && compareIds(id, self) < 0))) before += 1;
  return before;
}
