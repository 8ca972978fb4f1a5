/** What the dashboard makes of what it hears, without a browser. */
import { describe, expect, it } from 'vitest';
import {
  type Change,
  type ClusterMember,
  readCluster,
  readFleet,
  readHistory,
  readState,
  readStatus,
  type Status,
} from '../../playground/src/live/answers.ts';
import { discRadius, places } from '../../playground/src/live/ring.ts';
import { roster } from '../../playground/src/live/roster.ts';
import { otherPages, silenceWords } from '../../playground/src/live/silence.ts';
import {
  announcement,
  EMPTY,
  fallSilent,
  heirs,
  inOrder,
  type View,
} from '../../playground/src/live/view.ts';
import {
  causeWords,
  claimants,
  duration,
  lagWords,
  leaseWords,
  linkWords,
  lookOf,
  pageOf,
  refusalWords,
  sinceLabel,
  standsSince,
} from '../../playground/src/live/words.ts';

const status: Status = {
  voterId: 2,
  voterUrl: 'http://127.0.0.1:7102',
  cluster: 'caucus',
  electionName: 'main',
  protocol: 'quorum',
  role: 'leader',
  acting: true,
  leader: 2,
  leaderUrl: 'http://127.0.0.1:7102',
  term: 7,
  token: '7',
  version: 0,
  knownVoters: [1, 2, 10],
  cause: 'won',
  detail: 'a majority voted for it',
  incarnation: 1,
  startedAtMs: 5,
  expiresInMs: 118.4,
  voters: [10, 2, 1].map((voterId) => ({ voterId, voterUrl: '' })),
  illness: null,
};
const member: ClusterMember = {
  name: '2',
  role: 'replica',
  state: 'running',
  api_url: 'http://127.0.0.1:7102',
  via: 'link',
  roundTripMs: 0.46,
  queued: 0,
};
/** Member 2 answers and leads, 1 and 10 follow. */
const view: View = {
  ...EMPTY,
  status,
  answer: status,
  members: [
    { ...member, via: 'self' },
    { ...member, name: '1' },
    { ...member, name: '10', queued: 3 },
  ],
};
const fleet = (...states: readonly ('up' | 'paused' | 'down')[]): View['fleet'] =>
  states.map((state, i) => ({ id: [1, 2, 10][i]!, url: `http://127.0.0.1:${i}`, pid: 5, state }));
const links = (shown: View): readonly string[] => roster(shown).map(linkWords);
const change = (atMs: number, leader: number | null, token: string | null): Change => ({
  at: new Date(atMs).toISOString(),
  atMs,
  leader,
  token,
  cause: 'won',
  detail: '',
});

describe('what is heard', () => {
  it('is refused if it is not as expected, before anything is drawn from it', () => {
    expect(readStatus(status)).toEqual(status);
    const { expiresInMs: _, ...told } = status;
    expect(readState(told)).toEqual(told);
    expect(readState({ ...told, newer: 1 })).toEqual({ ...told, newer: 1 });
    for (const wrong of [null, 7, [], {}, { ...status, voters: {} }, { ...status, protocol: 1 }]) {
      expect(() => readStatus(wrong)).toThrow();
    }
    expect(readCluster({ members: [member] })).toEqual([member]);
    expect(() => readCluster({ members: [{ ...member, name: 2 }] })).toThrow(
      'members[0].name: expected a string, found 2',
    );
    expect(() => readFleet({ members: 'all' })).toThrow();
    expect(() => readStatus({ ...status, voters: [null] })).toThrow('voters[0]: expected an object');
    expect(() => readStatus({ ...status, leader: {} })).toThrow('leader: expected a name');
    expect(() => readCluster({ members: [member, member] })).toThrow('name: expected another one for each');
    const change = { at: '', atMs: 5, leader: 1, token: '1', cause: 'won', detail: '' };
    expect(readHistory({ history: [change] })).toEqual([change]);
    expect(() => readHistory({ history: [{ ...change, atMs: 1e300 }] })).toThrow('history[0].atMs: expected');
    expect(readHistory({ history: Array.from({ length: 50_000 }, () => change) }).length).toBe(2000);
  });

  it('stays silent since it fell silent', () => {
    const silent = fallSilent(fallSilent(EMPTY, 5, 'no answer', ''), 9, 'no answer', '');
    expect([silent.silence?.sinceMs, silent.nowMs]).toEqual([5, 9]);
  });

  it('is told with a time only where something was heard before', () => {
    const [before, never] = [view, EMPTY].map((each) => fallSilent(each, 5, 'refused', 'no'));
    expect(silenceWords(before!, 'up')).toMatch(/^No member has answered since \d\d:\d\d:\d\d$/);
    expect(silenceWords(never!, 'up')).toBe('No member answers');
    expect(silenceWords(never!, 'member')).toBe('This member has had no answer (no)');
    expect(silenceWords(fallSilent(EMPTY, 5, 'no answer', ''), 'member')).toBe('This member does not answer');
    expect(silenceWords(fallSilent(view, 5, 'no answer', ''), 'member')).toMatch(
      /^Member 2 has not answered since /,
    );
    expect(otherPages(before!, 'member').map(({ name }) => name)).toEqual(['1', '10']);
    expect(
      otherPages({ ...before!, fleet: fleet('down', 'up', 'paused') }, 'up').map(({ name }) => name),
    ).toEqual(['2']);
  });

  it('is announced when another leads, or the same again, or nobody, and else not', () => {
    const next = { ...status, leader: 1, token: '8' };
    expect(announcement(status, next)).toBe('Member 1 leads now, token 8');
    expect(announcement(status, { ...status, token: '9' })).toBe('Member 2 leads now, token 9');
    const none = { ...status, leader: null, token: null };
    expect(announcement(status, none)).toBe('There is no leader now');
    for (const [before, after] of [
      [null, status],
      [null, none],
      [none, none],
      [status, status],
      [status, { ...next, electionName: 'other' }],
    ] as const) {
      expect(announcement(before, after)).toBeNull();
    }
  });
});

describe('the words', () => {
  it('say since when the leader leads, or nobody does', () => {
    const history = [change(1, 2, '6'), change(2, null, null), change(3, 2, '7'), change(4, 2, '7')];
    expect(standsSince(history, status)).toBe(3);
    expect(standsSince(history.slice(2), status)).toBe(3);
    expect(standsSince(history.slice(0, 2), status)).toBeNull();
    const none = { ...status, leader: null, token: null };
    expect(standsSince(history, none)).toBeNull();
    expect(standsSince(history.slice(0, 2), none)).toBe(2);
  });

  it('do not say that a leader leads since this member heard of it', () => {
    const heard = { ...change(3, 2, '7'), cause: 'learned' };
    expect(sinceLabel([change(2, null, null), heard], status)).toBe('Known since');
    expect(sinceLabel([heard, change(4, 2, '8')], { ...status, token: '8' })).toBe('Since');
    expect(sinceLabel([], status)).toBe('Since');
  });

  it('say how long the lease is, if that is known', () => {
    expect(leaseWords(status, 2, false)).toBe('118 ms left when asked');
    const idle = { ...status, acting: false, expiresInMs: null };
    expect(leaseWords(idle, 2, false)).toBe('only the leader knows');
    expect(leaseWords(status, 1, false)).toBe('only the leader knows');
    expect(leaseWords(status, 1, true)).toBe('being asked…');
    expect(leaseWords({ ...status, protocol: 'bully', expiresInMs: null }, 2, true)).toBe('bully has none');
    expect(leaseWords(null, null, true)).toBe('none');
  });

  it('say how a member is: its process counts more than what others see', () => {
    const process = { id: 2, url: '', pid: 5, state: 'paused' as const };
    expect(lookOf(member, undefined, 2)).toBe('leader');
    expect(lookOf(member, undefined, 1)).toBe('follower');
    expect(lookOf(member, process, 2)).toBe('paused');
    expect(lookOf({ ...member, state: 'unknown' }, { ...process, state: 'up' }, 2)).toBe('unknown');
    expect(lookOf({ ...member, state: 'ill' }, undefined, 2)).toBe('ill');
    expect(claimants([process, { ...process, id: 3, state: 'leading' }])).toEqual([3]);
  });

  it('say how links are', () => {
    expect(links(view)).toEqual(['connected, 0.5 ms', 'answers this page', 'connected, 0.5 ms']);
    expect(links({ ...view, members: [{ ...member, via: 'none' }] })).toEqual(['no connection']);
    expect(roster(view).map(lagWords)).toEqual(['none', '', '3 waiting']);
    expect(roster(view).map(({ isCut }) => isCut)).toEqual([false, false, false]);
  });

  it('say of no link that it stands where a process is gone or paused', () => {
    const broken = { ...view, fleet: fleet('paused', 'up', 'down') };
    expect(links(broken)).toEqual(['does not answer', 'answers this page', 'no connection']);
    expect(roster(broken).map(lagWords)).toEqual(['', '', '']);
    expect(roster(broken).map(({ isCut }) => isCut)).toEqual([true, false, true]);
    expect(links({ ...view, fleet: fleet('down', 'down', 'down') })).toEqual(Array(3).fill('no connection'));
    // The links are those of whoever answered last; once it is gone, nobody knows.
    for (const shown of [
      { ...view, fleet: fleet('up', 'paused', 'up') },
      fallSilent(view, 5, 'no answer', ''),
    ]) {
      expect(links(shown)).toEqual(['not known', 'does not answer', 'not known']);
      expect(roster(shown).every(({ isCut }) => isCut)).toBe(true);
    }
    expect(roster(fallSilent(view, 5, 'not understood', ''))[1]!.look).toBe('leader');
  });

  it('are of the processes where no member has said a word', () => {
    const shown = roster({ ...EMPTY, fleet: fleet('down', 'up', 'down') });
    expect(shown.map(({ member: { name }, look }) => [name, look])).toEqual([
      ['1', 'down'],
      ['2', 'unknown'],
      ['10', 'down'],
    ]);
    expect(shown.map(({ process }) => process?.id)).toEqual([1, 2, 10]);
  });

  it('say what came of an order', () => {
    const refused = { status: 409, code: 'E_REFUSED', message: '1 is the leader' };
    expect(refusalWords(refused)).toBe('Refused: 1 is the leader. It had no effect.');
    expect(refusalWords({ ...refused, status: 403, message: 'no' })).toBe('Not allowed: no.');
    expect(refusalWords({ ...refused, status: 503, outcome: 'indefinite' })).toMatch(
      /may have been carried out/,
    );
    expect(refusalWords({ ...refused, status: 0 })).toMatch(/^No answer\./);
  });

  it('say times and causes, also those that are not known yet', () => {
    expect([0, 59_400, 61_000, 3_600_000 * 5, 3_600_000 * 50].map(duration)).toEqual([
      '0 s',
      '59 s',
      '1 min 1 s',
      '5 h 0 min',
      '2 days',
    ]);
    expect([causeWords('lease-expired'), causeWords('new-one')]).toEqual(['Lease ran out', 'new-one']);
  });

  it('lead to pages only', () => {
    expect(pageOf('http://127.0.0.1:7101')).toBe('http://127.0.0.1:7101/ui/');
    expect(pageOf('https://a.example/')).toBe('https://a.example/ui/');
    expect(pageOf('javascript:alert(1)')).toBeNull();
  });
});

describe('the order of members', () => {
  it('is that of numbers where they are some', () => {
    expect(
      inOrder(['10', '2', 'b', 'a'].map((name) => ({ ...member, name }))).map(({ name }) => name),
    ).toEqual(['2', '10', 'a', 'b']);
    expect(heirs(status, [])).toEqual([1, 10]);
  });

  it('hands the lead to no member that cannot be reached, or does not vote', () => {
    const named = (name: string, change: Partial<ClusterMember>): ClusterMember => ({
      ...member,
      name,
      ...change,
    });
    expect(heirs(status, [named('1', { state: 'unknown' }), named('10', {})])).toEqual([10]);
    expect(heirs(status, [named('1', { state: 'running' }), named('10', { role: 'none' })])).toEqual([1]);
  });

  it('is a ring on which no two touch', () => {
    for (const count of [1, 2, 3, 5, 25, 99]) {
      const all = places(count);
      const radius = discRadius(count);
      for (const [i, a] of all.entries()) {
        for (const b of all.slice(i + 1))
          expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(2 * radius);
      }
      for (const { x, y } of all) expect(Math.min(x, y, 100 - x, 100 - y)).toBeGreaterThanOrEqual(radius);
    }
  });
});
