/** What `caucus doctor` makes of the answers of members: each rule on a cluster in which one thing is wrong. */
import { describe, expect, it } from 'vitest';
import type { Diagnosis, Status } from '../../src/api/wire/index.ts';
import { examine } from '../../src/cli/commands/doctor/examine.ts';
import type { Finding } from '../../src/cli/commands/doctor/finding.ts';
import type { Failure, Place } from '../../src/cli/commands/doctor/gathered.ts';
import { doctorLines } from '../../src/cli/commands/doctor/words.ts';
import { plain } from '../../src/cli/terminal/colours.ts';

const NOW_MS = 1_800_000_000_000;
const IDS = ['a', 'b', 'c'];
const urlOf = (id: string): string => `http://127.0.0.1:71${id.charCodeAt(0)}`;

interface Wish {
  readonly id?: string;
  readonly url?: string;
  readonly status?: Partial<Status>;
  readonly diagnosis?: Partial<Diagnosis>;
  readonly election?: Partial<Diagnosis['elections'][number]>;
  readonly clockMs?: number;
}

/** A member of a healthy cluster of these members, led by the first, but for what is wished. */
function member(id: string, ids: readonly string[] = IDS, wish: Wish = {}): Place {
  const url = wish.url ?? urlOf(id);
  const voters = ids.map((each) => ({ voterId: each, voterUrl: urlOf(each), configured: true }));
  const status: Status = {
    voterId: wish.id ?? id,
    voterUrl: url,
    cluster: 'caucus',
    electionName: 'main',
    protocol: 'quorum',
    role: id === ids[0] ? 'leader' : 'follower',
    acting: id === ids[0],
    leader: ids[0]!,
    leaderUrl: urlOf(ids[0]!),
    term: 1,
    token: '1',
    version: 0,
    knownVoters: ids,
    voters,
    cause: 'won',
    detail: 'won',
    illness: null,
    incarnation: 1,
    startedAtMs: NOW_MS - 1000 - id.charCodeAt(0),
    expiresInMs: null,
    nowMs: NOW_MS,
    ...wish.status,
  };
  const diagnosis: Diagnosis = {
    voterId: status.voterId,
    voterUrl: url,
    cluster: status.cluster,
    release: '0.2.0',
    node: 'v20.20.2',
    pid: id.charCodeAt(0),
    startedAtMs: status.startedAtMs,
    nowMs: NOW_MS,
    protocol: 'quorum',
    timing: { leaseMs: 1500 },
    options: { maxDrift: 0.01 },
    authentication: { by: 'secret', secrets: ['11112222'] },
    hasDataFolder: true,
    loop: { worstMs: 3, lastMs: 1 },
    saves: { worstMs: 4, lastMs: 4 },
    illness: status.illness,
    peers: ids
      .filter((each) => each !== id)
      .map((each) => ({ voterId: each, voterUrl: urlOf(each), via: 'link', roundTripMs: 1, problem: null })),
    refusals: {},
    recentRefusals: [],
    elections: [
      {
        electionName: 'main',
        protocol: 'quorum',
        leader: status.leader,
        acting: status.acting,
        isCandidate: true,
        voted: ids,
        configured: ids,
        leaderships: 1,
        ends: [],
        ...wish.election,
      },
    ],
    ...wish.diagnosis,
  };
  const named = ids.map((by) => ({ by, id }));
  const clock = { aheadMs: wish.clockMs ?? 0, withinMs: 1 };
  return { url, named, status, diagnosis, isEarlier: false, failure: null, clock };
}

/** A member that does not answer. */
function absent(id: string, kind: Failure['kind'], ids: readonly string[] = IDS): Place {
  const failure = { kind, words: 'the words' };
  const named = ids.map((by) => ({ by, id }));
  return { url: urlOf(id), named, status: null, diagnosis: null, isEarlier: false, failure, clock: null };
}

const find = (...places: Place[]): readonly Finding[] => examine({ nowMs: NOW_MS, places }).findings;
const kinds = (...places: Place[]): string[] => find(...places).map(({ kind }) => kind);
/** A healthy cluster with another member in the place of c. */
const withC = (wish: Wish): Place[] => [member('a'), member('b'), member('c', IDS, wish)];

const noLead = { role: 'follower', acting: false, leader: null, leaderUrl: null } as const;
const idle = { acting: false, leader: null } as const;

describe('a healthy cluster', () => {
  it('has no findings, and all is said to be checked', () => {
    const { findings, sound, unchecked, isAnswered } = examine({
      nowMs: NOW_MS,
      places: IDS.map((id) => member(id)),
    });
    expect(findings).toEqual([]);
    expect(isAnswered).toBe(true);
    expect(unchecked).toEqual([]);
    expect(sound).toEqual([
      'members',
      'leaders',
      'configurations and versions',
      'membership',
      'certificates',
      'disks',
      'event loops',
      'clocks',
      'links',
    ]);
  });

  it('is not said to be checked where no member answers', () => {
    const { sound, unchecked, isAnswered } = examine({ nowMs: NOW_MS, places: [absent('a', 'refused')] });
    expect(isAnswered).toBe(false);
    expect(sound).toEqual([]);
    expect(unchecked).toContain('disks');
  });
});

describe('members that do not answer', () => {
  it.each([
    ['nothing-there', 'member-down', 'problem'],
    ['stopped', 'member-stopped', 'problem'],
    ['silent', 'member-silent', 'problem'],
    ['no-member', 'not-a-member', 'problem'],
    ['certificate', 'certificate', 'problem'],
    ['unreachable', 'member-unreachable', 'problem'],
    ['refused', 'no-access', 'warning'],
  ] as const)('%s is %s', (failure, kind, severity) => {
    const findings = find(member('a'), member('b'), absent('c', failure));
    expect(findings).toMatchObject([{ kind, severity, subject: 'member c' }]);
    expect(findings[0]!.next).not.toBe('');
  });

  it('a wrong URL of a peer is told, if the member answers elsewhere', () => {
    const lost: Place = { ...absent('x', 'nothing-there'), named: [{ by: 'a', id: 'b' }] };
    const [finding, ...others] = find(...IDS.map((id) => member(id)), lost);
    expect(finding).toMatchObject({ kind: 'wrong-url', subject: 'member a' });
    expect(finding!.what).toContain(`${urlOf('x')} for member b`);
    expect(finding!.next).toContain(urlOf('b'));
    expect(others).toEqual([]);
  });

  it('a URL at which another member answers is told', () => {
    const b = member('b');
    const places = [member('a'), { ...b, named: [...b.named, { by: 'a', id: 'c' }] }, member('c')];
    expect(find(...places)).toMatchObject([
      { kind: 'wrong-url', what: expect.stringContaining('member b answers') },
    ]);
  });
});

describe('leaders', () => {
  const led = (id: string): Place => member(id, IDS, { status: noLead, election: idle });

  it('without a majority there is none, and it is said which members are missing', () => {
    const findings = find(led('a'), absent('b', 'nothing-there'), absent('c', 'stopped'));
    expect(findings.map(({ kind }) => kind)).toEqual(['member-down', 'member-stopped', 'no-majority']);
    expect(findings[2]!.what).toContain('1 of 3 members answers, 2 are needed; b and c do not answer');
  });

  it('with a majority there is none, and what the members say of it is told', () => {
    const waits = { ...noLead, detail: 'waiting for c' };
    const places = IDS.map((id) => member(id, IDS, { status: waits, election: idle }));
    expect(find(...places)).toMatchObject([
      { kind: 'no-leader', what: expect.stringContaining('waiting for c') },
    ]);
  });

  it('no member wants to lead', () => {
    const places = IDS.map((id) =>
      member(id, IDS, { status: noLead, election: { ...idle, isCandidate: false } }),
    );
    expect(kinds(...places)).toEqual(['no-candidate']);
  });

  it('no leader during a pause, or since members are drained', () => {
    const of = (status: object): Place[] =>
      IDS.map((id) =>
        member(id, IDS, { status: { ...noLead, ...status }, election: { ...idle, isCandidate: false } }),
      );
    expect(find(...of({ paused: true }))).toMatchObject([
      { kind: 'paused', severity: 'problem', next: expect.stringContaining('caucus resume') },
    ]);
    expect(find(...of({ drained: true }))).toMatchObject([
      { kind: 'no-candidate', next: 'let one lead again: caucus drain a --undo' },
    ]);
    // With a leader, the pause is what the operator wanted.
    const led = IDS.map((id) => member(id, IDS, { status: { paused: true } }));
    expect(find(...led)).toMatchObject([{ kind: 'paused', severity: 'warning' }]);
  });

  it('a leader that answers only the others is none that is missing', () => {
    expect(kinds(absent('a', 'silent'), member('b'), member('c'))).toEqual(['member-silent']);
  });

  it('two act, or members follow two', () => {
    const rival = { status: { acting: true, leader: 'c' }, election: { acting: true, leader: 'c' } };
    expect(kinds(...withC(rival))).toEqual(['two-leaders']);
    expect(kinds(...withC({ status: { leader: 'b' }, election: { leader: 'b' } }))).toEqual(['disagreement']);
  });

  it('the leader changes again and again', () => {
    const ends = [{ cause: 'lease-expired', count: 5 }];
    const [finding] = find(...withC({ election: { leaderships: 6, ends } }));
    expect(finding).toMatchObject({ kind: 'restless', severity: 'problem' });
    expect(finding!.what).toContain('5 times in the last 15 minutes, and says why: lease-expired 5');
    expect(kinds(...withC({ election: { leaderships: 5, ends } }))).toEqual([]);
  });

  it('an election that records occasions is led for a moment at each, and by no member in between', () => {
    const ends = [{ cause: 'resigned', count: 14 }];
    const election = { ...idle, isCandidate: false, recordsOccasions: true, leaderships: 14, ends };
    const all = (wish: Wish) => IDS.map((id) => member(id, IDS, wish));
    expect(kinds(...all({ status: noLead, election }))).toEqual([]);
    expect(kinds(...all({ status: noLead, election: { ...election, isCandidate: true } }))).toEqual([]);
    expect(kinds(...all({ status: { ...noLead, drained: true }, election }))).toEqual(['no-candidate']);
    const lost = [...ends, { cause: 'lease-expired', count: 6 }];
    expect(kinds(...all({ status: noLead, election: { ...election, leaderships: 20, ends: lost } }))).toEqual(
      ['restless'],
    );
    const few = [
      member('a', IDS, { status: noLead, election }),
      absent('b', 'silent'),
      absent('c', 'silent'),
    ];
    expect(kinds(...few)).toContain('no-majority');
  });
});

describe('configurations', () => {
  it('another cluster', () => {
    expect(kinds(...withC({ status: { cluster: 'other' } }))).toEqual(['other-cluster']);
  });

  it('two processes under one id, and one process under two URLs', () => {
    const twin = member('b', IDS, { url: 'http://127.0.0.1:7999', status: { startedAtMs: NOW_MS - 5 } });
    const [finding, ...others] = find(...IDS.map((id) => member(id)), twin);
    expect(finding).toMatchObject({ kind: 'same-id', subject: 'member b' });
    expect(finding!.what).toContain('http://127.0.0.1:7999');
    expect(others).toEqual([]);
    const same = { ...member('b'), url: 'http://localhost:7198' };
    expect(kinds(...IDS.map((id) => member(id)), same)).toEqual([]);
  });

  describe('recoveries', () => {
    const recovery = (id: string, ...earlier: readonly string[]): Wish => ({
      diagnosis: {
        recovery: { id, member: 'a', at: '2026-01-01T00:00:00.000Z', term: 1_000_000_007, earlier },
      },
    });
    const refused = (kind: string): Wish => ({
      diagnosis: {
        peers: [
          {
            voterId: 'a',
            voterUrl: urlOf('a'),
            via: 'none',
            roundTripMs: null,
            problem: { is: 'refused', kind, reason: 'before' },
          },
        ],
      },
    });
    const alone = { ...recovery('first'), election: { voted: ['a'] } };

    it('too few members since, and none of it once there are three', () => {
      const [a, b, c] = IDS.map((id) => member(id, IDS, recovery('first')));
      expect(kinds(a!, b!, c!)).toEqual([]);
      expect(find(member('a', ['a'], alone))).toContainEqual(
        expect.objectContaining({ kind: 'recovered', severity: 'warning' }),
      );
    });

    it('a member from before, which is refused', () => {
      const found = find(
        member('a', IDS, recovery('first')),
        member('b', IDS, recovery('first')),
        member('c', IDS, refused('before-recovery')),
      );
      expect(found).toContainEqual(
        expect.objectContaining({ kind: 'before-recovery', subject: 'member c', severity: 'problem' }),
      );
      expect(found.map(({ kind }) => kind)).not.toContain('refused');
    });

    it('and nothing that contradicts the way back to three members', () => {
      const b = member('b', IDS, { ...refused('before-recovery'), election: { voted: IDS } });
      const empty = { ...recovery('first'), election: { voted: ['a'], isCandidate: false } };
      const found = find(
        member('a', IDS, alone),
        { ...b, status: { ...b.status!, acting: false } },
        member('c', IDS, { ...empty, status: { acting: false } }),
        absent('d', 'nothing-there'),
      );
      const next = (wanted: string): string[] =>
        found.filter(({ kind }) => kind === wanted).map((each) => each.next);
      expect(next('before-recovery')).toEqual(['stop it, empty its data folder, start it again and add it']);
      expect(next('recovered')[0]).toContain(`caucus member add c ${urlOf('c')}`);
      expect(next('member-down')[0]).toContain('Empty its data folder, start it and add it');
      const kindsFound = found.map(({ kind }) => kind);
      for (const kind of ['removed', 'membership', 'peers-differ', 'member-count'])
        expect(kindsFound).not.toContain(kind);
    });

    it('two clusters after two recoveries; but a later one of the same cluster counts', () => {
      const two = kinds(member('a', IDS, recovery('first')), member('b', IDS, recovery('other')));
      expect(two).toContain('other-recovery');
      const later = kinds(member('a', IDS, recovery('again', 'first')), member('b', IDS, recovery('first')));
      expect(later).not.toContain('other-recovery');
    });
  });

  it('other settings, and which', () => {
    const [finding] = find(...withC({ diagnosis: { timing: { leaseMs: 125 } } }));
    expect(finding).toMatchObject({ kind: 'other-settings', subject: 'member c' });
    expect(finding!.what).toContain('leaseMs 125, not 1500 as a');
  });

  it('another secret, or none; a secret that is being replaced is none of it', () => {
    const secret = (...secrets: string[]) => ({
      diagnosis: { authentication: { by: 'secret', secrets } as const },
    });
    expect(kinds(...withC(secret('99998888')))).toEqual(['other-secret']);
    expect(kinds(...withC(secret('99998888', '11112222')))).toEqual([]);
    const nothing = { diagnosis: { authentication: { by: 'nothing', secrets: [] } as const } };
    expect(kinds(...withC(nothing))).toEqual(['other-authentication']);
  });

  it('a member without a data folder beside others', () => {
    expect(kinds(...withC({ diagnosis: { hasDataFolder: false } }))).toEqual(['no-data-folder']);
    const none = IDS.map((id) => member(id, IDS, { diagnosis: { hasDataFolder: false } }));
    expect(kinds(...none)).toEqual([]);
  });

  it('two releases, two versions of Node.js, a release that cannot tell', () => {
    expect(kinds(...withC({ diagnosis: { release: '0.3.0' } }))).toEqual(['versions']);
    expect(kinds(...withC({ diagnosis: { node: 'v24.1.0' } }))).toEqual(['node-versions']);
    expect(kinds(...withC({ diagnosis: { node: 'v20.19.0' } }))).toEqual([]);
    const old: Place = { ...member('c'), diagnosis: null, isEarlier: true };
    expect(kinds(member('a'), member('b'), old)).toEqual(['earlier-release']);
  });
});

describe('membership', () => {
  it('a removed member that still runs, and members that are configured with it', () => {
    const of = (id: string): Place => member(id, IDS, { election: { voted: ['a', 'b', 'd'] } });
    const findings = find(of('a'), of('b'), of('c'), absent('d', 'nothing-there', []));
    expect(findings).toMatchObject([
      { kind: 'member-down' },
      { kind: 'removed', subject: 'member c' },
      { kind: 'membership', subject: 'members a and b' },
    ]);
    expect(findings[2]!.next).toContain('take c out of the peers of a and b');
    expect(findings[2]!.next).toContain('add d to the peers of a and b');
  });

  it('a removed member that the others refuse is told once', () => {
    const election = { voted: ['a', 'b'], configured: ['a', 'b'] };
    const problem = { is: 'refused', kind: 'removed', reason: 'member c was removed' } as const;
    const peers = ['a', 'b'].map((id) => {
      return { voterId: id, voterUrl: urlOf(id), via: 'none', roundTripMs: null, problem } as const;
    });
    const of = (id: string): Place => member(id, ['a', 'b'], { election });
    const findings = find(of('a'), of('b'), member('c', IDS, { election, diagnosis: { peers } }));
    expect(findings.map(({ kind }) => kind)).toEqual(['removed', 'member-count']);
  });

  it('lists of peers that differ', () => {
    const wish = { election: { voted: null, configured: ['a', 'b', 'c', 'd'] } };
    expect(kinds(...withC(wish))).toEqual(['peers-differ']);
  });

  it.each([
    [['a'], 'only one member'],
    [['a', 'b'], 'only two members'],
    [['a', 'b', 'c', 'd'], 'an even number'],
  ])('%j is told', (ids, words) => {
    const findings = find(...ids.map((id) => member(id, ids)));
    expect(findings).toMatchObject([{ kind: 'member-count', severity: 'warning' }]);
    expect(findings[0]!.what).toContain(words);
  });
});

describe('processes', () => {
  it('a disk that refuses, and one that is slow', () => {
    const illness = 'a.json: cannot be written: ENOSPC';
    expect(find(...withC({ status: { illness } }))).toMatchObject([{ kind: 'ill', severity: 'problem' }]);
    const slow = (worstMs: number): Wish => ({ diagnosis: { saves: { worstMs, lastMs: 1 } } });
    expect(kinds(...withC(slow(375)))).toEqual([]);
    expect(find(...withC(slow(376)))).toMatchObject([{ kind: 'slow-disk', severity: 'warning' }]);
    expect(find(...withC(slow(1500)))).toMatchObject([{ kind: 'slow-disk', severity: 'problem' }]);
  });

  it('an event loop that is blocked', () => {
    const late = (worstMs: number): Wish => ({ diagnosis: { loop: { worstMs, lastMs: 1 } } });
    expect(kinds(...withC(late(375)))).toEqual([]);
    expect(find(...withC(late(400)))).toMatchObject([{ kind: 'loop-blocked', severity: 'warning' }]);
    expect(find(...withC(late(2000)))).toMatchObject([{ kind: 'loop-blocked', severity: 'problem' }]);
  });

  it('a clock that is wrong, by the middle of all', () => {
    expect(kinds(...withC({ clockMs: 4000 }))).toEqual([]);
    const [finding, ...others] = find(...withC({ clockMs: -7000 }));
    expect(finding).toMatchObject({ kind: 'clock', subject: 'member c' });
    expect(finding!.what).toContain('7.0 s behind that of');
    expect(others).toEqual([]);
    const two = ['a', 'b'];
    expect(find(member('a', two), member('b', two, { clockMs: 9000 }))).toMatchObject([
      { kind: 'member-count' },
      { kind: 'clock', subject: 'member b', what: expect.stringContaining('the clock of this machine') },
    ]);
  });

  it('certificates that end', () => {
    const certificate = (daysLeft: number, caDaysLeft = 900): Wish => ({
      status: { certificate: { expiresAt: '', daysLeft, caDaysLeft, warning: null } },
    });
    expect(kinds(...withC(certificate(30)))).toEqual([]);
    expect(find(...withC(certificate(29)))).toMatchObject([{ kind: 'certificate', severity: 'warning' }]);
    expect(find(...withC(certificate(-1)))).toMatchObject([{ kind: 'certificate', severity: 'problem' }]);
    expect(find(...withC(certificate(90, 3)))).toMatchObject([{ what: expect.stringContaining('a CA') }]);
  });
});

describe('links', () => {
  const cut = (id: string, other: string, problem: Diagnosis['peers'][number]['problem']): Place =>
    member(id, IDS, {
      diagnosis: {
        peers: [
          { voterId: other, voterUrl: urlOf(other), via: 'none', roundTripMs: null, problem },
          { voterId: 'c', voterUrl: urlOf('c'), via: 'link', roundTripMs: 1, problem: null },
        ],
      },
    });

  it('a link that is cut between two that answer is told once, with what both say', () => {
    const problem = { is: 'unreachable', kind: null, reason: 'it does not answer' } as const;
    const findings = find(cut('a', 'b', problem), cut('b', 'a', null), member('c'));
    expect(findings).toMatchObject([{ kind: 'link', subject: 'members a and b', severity: 'problem' }]);
    expect(findings[0]!.what).toContain(`a cannot reach b at ${urlOf('b')}: it does not answer`);
  });

  it('a refusal is told with its reason, unless another finding explains it', () => {
    const problem = { is: 'refused', kind: 'wrong-secret', reason: 'it does not know the secret' } as const;
    expect(find(cut('a', 'b', problem), member('b'), member('c'))).toMatchObject([
      { kind: 'refused', what: expect.stringContaining('it does not know the secret') },
    ]);
    const b = member('b', IDS, { diagnosis: { authentication: { by: 'secret', secrets: ['99998888'] } } });
    expect(kinds(cut('a', 'b', problem), b, member('c'))).toEqual(['other-secret']);
  });

  it('refusals of the last minute are told, and those from before are not', () => {
    const note = (lastAtMs: number, kind = 'unauthenticated'): Wish => ({
      diagnosis: { recentRefusals: [{ kind, reason: 'its certificate is that of d', count: 3, lastAtMs }] },
    });
    expect(find(...withC(note(NOW_MS - 59_000)))).toMatchObject([
      { kind: 'refusals', what: expect.stringContaining('that of d (3 times)') },
    ]);
    expect(find(...withC(note(NOW_MS - 1000, 'same-id')))).toMatchObject([
      { kind: 'same-id', severity: 'problem' },
    ]);
    expect(kinds(...withC(note(NOW_MS, 'other-version')))).toEqual(['refusals']);
    // The wrong URL of another member does not explain it.
    const lost: Place = { ...absent('x', 'nothing-there'), named: [{ by: 'a', id: 'b' }] };
    expect(kinds(...withC(note(NOW_MS, 'same-id')), lost)).toEqual(['wrong-url', 'same-id']);
    const own: Place = { ...lost, named: [{ by: 'c', id: 'b' }] };
    expect(kinds(...withC(note(NOW_MS, 'same-id')), own)).toEqual(['wrong-url']);
    expect(kinds(...withC(note(NOW_MS - 61_000)))).toEqual([]);
    expect(kinds(...withC(note(NOW_MS, 'not-json')))).toEqual([]);
  });
});

describe('the words', () => {
  it('put problems first, and nothing of a member can move the cursor', () => {
    const hostile = { status: { illness: 'no\u001b[2J space\nPROBLEM   member z: x' }, clockMs: 90_000 };
    const lines = doctorLines(examine({ nowMs: NOW_MS, places: withC(hostile) }), {
      columns: 80,
      paint: plain,
    });
    expect(lines[0]).toMatch(/^PROBLEM {3}member c: cannot do its part: no\\u001b\[2J space/);
    expect(lines.filter((line) => /^(PROBLEM|WARNING)/.test(line))).toHaveLength(2);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(lines.join('\n')).toContain('1 problem, 1 warning\nno problem found in: members, leaders,');
  });
});
