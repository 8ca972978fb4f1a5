import type { MemberId } from '../../core/index.ts';
import type { ElectionEntry } from './documents.ts';

/** Who leads how many elections of a list. */
export interface Tally {
  readonly count: number;
  /** Ordered by id, numbers by their value. */
  readonly leaders: readonly { readonly leader: MemberId; readonly count: number }[];
  /** The names of those without a leader, in the order of the list. */
  readonly without: readonly string[];
}

export function tallyOf(elections: readonly Pick<ElectionEntry, 'electionName' | 'leader'>[]): Tally {
  const counts = new Map<MemberId, number>();
  for (const { leader } of elections) if (leader !== null) counts.set(leader, (counts.get(leader) ?? 0) + 1);
  const leaders = [...counts].map(([leader, count]) => ({ leader, count }));
  return {
    count: elections.length,
    leaders: leaders.sort((a, b) => byName(String(a.leader), String(b.leader))),
    without: elections.filter(({ leader }) => leader === null).map(({ electionName }) => electionName),
  };
}

const collator = new Intl.Collator('en', { numeric: true });

/** Numbers in names count by their value: 9 comes before 10. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b);
}
