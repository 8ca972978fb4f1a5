/** What several members saw, as one list. */
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/api/wire/index.ts';
import { mergeHistories } from '../../src/cli/commands/ask/merge-histories.ts';

const entry = (atMs: number, leader: string | null, token: number | null, cause: string): HistoryEntry => ({
  at: new Date(atMs).toISOString(),
  atMs,
  leader,
  token: token === null ? null : String(token),
  cause,
  detail: '',
});

const told = (...accounts: { member: string; changes: HistoryEntry[] }[]): string[] =>
  mergeHistories(accounts.map((each) => ({ ...each, acts: [] }))).map((each) =>
    'cause' in each
      ? `${each.atMs} ${each.leader} ${each.token} ${each.cause} by ${each.seenBy.join('')}`
      : '',
  );

describe('histories of several members', () => {
  it('tell the beginning of a leadership once, when it happened', () => {
    const a = { member: 'a', changes: [entry(12, 'b', 7, 'won')] };
    const b = { member: 'b', changes: [entry(10, 'b', 7, 'won')] };
    const late = { member: 'c', changes: [entry(9000, 'b', 7, 'learned')] };
    expect(told(a, late, b)).toEqual(['10 b 7 won by abc']);
    expect(told(late)).toEqual(['9000 b 7 learned by c']);
  });

  it('tell its end once: in the words of the member that led, when the others saw it', () => {
    const a = { member: 'a', changes: [entry(10, 'b', 7, 'won'), entry(40, null, null, 'lease-expired')] };
    const next = entry(45, 'a', 8, 'won');
    const b = {
      member: 'b',
      changes: [
        entry(10, 'b', 7, 'won'),
        entry(90, null, null, 'event-loop-blocked'),
        entry(91, 'a', 8, 'learned'),
      ],
    };
    expect(told({ ...a, changes: [...a.changes, next] }, b)).toEqual([
      '10 b 7 won by ab',
      '40 null null event-loop-blocked by ab',
      '45 a 8 won by ab',
    ]);
    expect(told(a)).toEqual(['10 b 7 won by a', '40 null null lease-expired by a']);
  });

  it('are in the order of tokens, whatever one clock says', () => {
    const changes = (ms: number) => [
      entry(ms + 10, 'b', 7, 'won'),
      entry(ms + 20, null, null, 'resigned'),
      entry(ms + 30, 'c', 8, 'won'),
    ];
    const wrong = { member: 'a', changes: changes(-100_000) };
    const right = ['b', 'c', 'd'].map((member) => ({ member, changes: changes(1000) }));
    expect(told(wrong, ...right)).toEqual([
      '1010 b 7 won by abcd',
      '1020 null null resigned by abcd',
      '1030 c 8 won by abcd',
    ]);
    // Of the leader that alone has a wrong clock, the others tell the time.
    expect(told({ ...wrong, member: 'b' }, right[1]!)[1]).toBe('1020 null null resigned by bc');
  });

  it('do not take a lost connection for the end of a leadership that went on', () => {
    const b = { member: 'b', changes: [entry(10, 'b', 7, 'won')] };
    const lost = entry(20, null, null, 'closed');
    const back = { member: 'a', changes: [entry(10, 'b', 7, 'won'), lost, entry(25, 'b', 7, 'learned')] };
    expect(told(back)).toEqual(['10 b 7 won by a', '20 null null closed by a']);
    const cut = { member: 'a', changes: [entry(10, 'b', 7, 'won'), lost] };
    expect(told(cut, b)).toEqual(['10 b 7 won by ab', '20 null null closed by a']);
  });

  it('do not take a follower that leaves for the end of a leadership', () => {
    const left = { ...entry(20, null, null, 'closed'), about: 'member' };
    const a = { member: 'a', changes: [entry(10, 'b', 7, 'won'), left] };
    const b = { member: 'b', changes: [entry(10, 'b', 7, 'won'), entry(30, null, null, 'resigned')] };
    expect(told(a, b)).toEqual([
      '10 b 7 won by ab',
      '20 null null closed by a',
      '30 null null resigned by b',
    ]);
  });

  it('keep apart what only one member can tell', () => {
    const a = { member: 'a', changes: [entry(5, null, null, 'started')] };
    const b = { member: 'b', changes: [entry(5, null, null, 'started')] };
    expect(told(a, b)).toEqual(['5 null null started by a', '5 null null started by b']);
  });

  it('list what operators did beside it', () => {
    const act = {
      at: '',
      atMs: 15,
      electionName: 'main',
      by: 'alice',
      from: 'x',
      what: 'resign',
      outcome: 'done',
    };
    const merged = mergeHistories([
      { member: 'a', changes: [entry(10, 'a', 7, 'won'), entry(20, null, null, 'resigned')], acts: [act] },
    ]);
    expect(merged.map(({ atMs }) => atMs)).toEqual([10, 15, 20]);
    expect(merged[1]).toEqual({ ...act, seenBy: ['a'] });
  });
});
