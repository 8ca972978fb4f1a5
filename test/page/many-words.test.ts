/** Which of many elections the dashboard shows, and how it sums up what has changed in them. */
import { describe, expect, it } from 'vitest';
import { type ElectionChange, type ElectionEntry, readElections } from '../../playground/src/live/answers.ts';
import { fitting, grouped, groupWords, tallyWords } from '../../playground/src/live/many.ts';
import { EMPTY, lackAnnouncement } from '../../playground/src/live/view.ts';
import { tallyOf } from '../../src/api/wire/index.ts';

const election = (electionName: string, leader: number | string | null): ElectionEntry => ({
  electionName,
  protocol: 'quorum',
  leader,
  term: 1,
  token: leader === null ? null : '1',
  acting: false,
});

const change = (atMs: number, electionName: string, leader: number | null, token = '1'): ElectionChange => ({
  at: new Date(atMs).toISOString(),
  atMs,
  electionName,
  leader,
  token: leader === null ? null : token,
  cause: leader === null ? 'closed' : 'won',
  detail: leader === null ? '1 does not answer' : `${leader} leads with token ${token}`,
});

const LIST = [election('job-10', 10), election('job-9', 9), election('Main', 10), election('job-2', null)];

describe('many elections', () => {
  it('do not lack a leader in a slot of a partition that no replica has taken', () => {
    const partition = ['orders', 'orders.shards', 'orders.shards.3'].map((name) => election(name, 1));
    const unused = ['orders.shards.0', 'orders.shards.r0'].map((name) => election(name, null));
    expect(readElections({ elections: [...partition, ...unused] })).toEqual(partition);
    expect(readElections({ elections: [election('orders.shards', null)] })).toHaveLength(1);
  });

  it('are ordered by name, and found by a part of it, by their leader, or by the lack of one', () => {
    const names = (text: string, by?: string | null): string[] =>
      fitting(LIST, { text, by }).map(({ electionName }) => electionName);
    expect(names('')).toEqual(['job-2', 'job-9', 'job-10', 'Main']);
    expect(names(' MAI ')).toEqual(['Main']);
    expect(names('', '10')).toEqual(['job-10', 'Main']);
    expect(names('', '1')).toEqual([]);
    expect(names('', null)).toEqual(['job-2']);
    expect(names('9', null)).toEqual([]);
  });

  it('are counted by their leaders', () => {
    expect(tallyOf(LIST)).toEqual({
      count: 4,
      leaders: [
        { leader: 9, count: 1 },
        { leader: 10, count: 2 },
      ],
      without: ['job-2'],
    });
    expect(tallyWords(1001, 0)).toBe('All 1,001 elections have a leader');
    expect(tallyWords(1001, 1)).toBe('1 of 1,001 elections has no leader');
    expect(tallyWords(1001, 3)).toBe('3 of 1,001 elections have no leader');
  });

  it('are announced when one is left without a leader, and when none is any more', () => {
    const all = { ...EMPTY, isOfAll: true, elections: LIST };
    const led = { ...all, elections: LIST.slice(0, 3) };
    expect(lackAnnouncement(led, all)).toBe('1 of 4 elections has no leader');
    expect(lackAnnouncement(all, led)).toBe('All 3 elections have a leader');
    expect(lackAnnouncement(led, led)).toBe(null);
    expect(lackAnnouncement({ ...led, isOfAll: false }, all)).toBe(null);
  });
});

describe('the last changes', () => {
  it('are grouped by what happened, the newest first, although they are mixed', () => {
    const groups = grouped(
      [
        change(1000, 'b', 1),
        change(9000, 'b', null),
        change(9001, 'a', null),
        change(9010, 'b', 2, '2'),
        change(9011, 'c', 3, '2'),
        change(10_500, 'a', 2, '3'),
        change(20_000, 'd', 2, '1'),
      ],
      10,
    );
    expect(groups.map((group) => [group.atMs, group.names, groupWords(group)])).toEqual([
      [20_000, ['d'], '2 leads with token 1'],
      [10_500, ['a', 'b'], '2 leads'],
      [9011, ['c'], '3 leads with token 2'],
      [9001, ['a', 'b'], '1 does not answer'],
      [1000, ['b'], '1 leads with token 1'],
    ]);
    expect(grouped([change(1, 'a', 1), change(2, 'b', null)], 1)).toHaveLength(1);
  });

  it('name an election once that changed several times', () => {
    const [group] = grouped([change(1, 'a', 1, '1'), change(2, 'a', 1, '2')], 10);
    expect(group).toMatchObject({ names: ['a'], detail: null });
  });
});
