/** What the dashboard makes of what it hears, without a browser. */
import { describe, expect, it } from 'vitest';
import {
  type Change,
  type ClusterMember,
  readCluster,
  readFleet,
  readStatus,
  type Status,
} from '../../playground/src/live/answers.ts';
import { discRadius, places } from '../../playground/src/live/ring.ts';
import { announcement, EMPTY, fallSilent, heirs, inOrder } from '../../playground/src/live/view.ts';
import {
  causeWords,
  claimants,
  duration,
  lagWords,
  leadsSince,
  leaseWords,
  linkWords,
  lookOf,
  pageOf,
  refusalWords,
} from '../../playground/src/live/words.ts';

const status: Status = {
  voterId: 2,
  voterUrl: 'http://127.0.0.1:7102',
  cluster: 'caucus',
  electionName: 'main',
  protocol: 'quorum',
  acting: true,
  leader: 2,
  leaderUrl: 'http://127.0.0.1:7102',
  token: '7',
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
const change = (atMs: number, leader: number | null, token: string | null): Change => ({
  atMs,
  leader,
  token,
  cause: 'won',
  detail: '',
});

describe('what is heard', () => {
  it('is refused if it is not as expected, before anything is drawn from it', () => {
    expect(readStatus(status)).toBe(status);
    for (const wrong of [null, 7, [], {}, { ...status, voters: {} }, { ...status, protocol: 1 }]) {
      expect(() => readStatus(wrong)).toThrow();
    }
    expect(readCluster({ members: [member] })).toEqual([member]);
    expect(() => readCluster({ members: [{ ...member, name: 2 }] })).toThrow('name is not as expected');
    expect(() => readFleet({ members: 'all' })).toThrow();
  });

  it('stays silent since it fell silent', () => {
    const silent = fallSilent(fallSilent(EMPTY, 5, 'no answer', ''), 9, 'no answer', '');
    expect([silent.silence?.sinceMs, silent.nowMs]).toEqual([5, 9]);
  });

  it('is announced when another leads, or the same again, and else not', () => {
    const next = { ...status, leader: 1, token: '8' };
    expect(announcement(status, next)).toBe('Member 1 leads now, token 8');
    expect(announcement(status, { ...status, token: '9' })).toBe('Member 2 leads now, token 9');
    for (const [before, after] of [
      [null, status],
      [status, status],
      [status, { ...status, leader: null, token: null }],
      [status, { ...next, electionName: 'other' }],
    ] as const) {
      expect(announcement(before, after)).toBeNull();
    }
  });
});

describe('the words', () => {
  it('say since when the leader leads', () => {
    const history = [change(1, 2, '6'), change(2, null, null), change(3, 2, '7'), change(4, 2, '7')];
    expect(leadsSince(history, status)).toBe(3);
    expect(leadsSince(history.slice(2), status)).toBe(3);
    expect(leadsSince(history.slice(0, 2), status)).toBeNull();
    expect(leadsSince(history, { ...status, leader: null })).toBeNull();
  });

  it('say how long the lease is, if that is known', () => {
    expect(leaseWords(status, 2)).toBe('118 ms left when asked');
    expect(leaseWords({ ...status, acting: false, expiresInMs: null }, 2)).toBe('only the leader knows');
    expect(leaseWords(status, 1)).toBe('only the leader knows');
    expect(leaseWords({ ...status, protocol: 'bully', expiresInMs: null }, 2)).toBe('bully has none');
    expect(leaseWords(null, null)).toBe('none');
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
    expect(linkWords(member)).toBe('connected, 0.5 ms');
    expect(linkWords({ ...member, via: 'none' })).toBe('no connection');
    expect(linkWords({ ...member, via: 'self' })).toBe('answers this page');
    expect(lagWords(member)).toBe('none');
    expect(lagWords({ ...member, via: 'none', queued: 3 })).toBe('3 waiting');
  });

  it('say what came of an order', () => {
    const refused = { status: 409, code: 'E_REFUSED', message: '1 is the leader' };
    expect(refusalWords(refused)).toBe('Refused: 1 is the leader. Nothing has happened.');
    expect(refusalWords({ ...refused, status: 403, message: 'no' })).toBe('Not allowed: no.');
    expect(refusalWords({ ...refused, status: 503, outcome: 'indefinite' })).toMatch(/perhaps it happened/);
    expect(refusalWords({ ...refused, status: 0 })).toMatch(/^No answer came/);
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
    expect(heirs(status)).toEqual([1, 10]);
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
