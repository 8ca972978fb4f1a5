import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnyJoinOptions, Member } from '../../src/member/index.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { Cluster } from '../support/cluster.ts';

let cluster: Cluster | null = null;

afterEach(async () => {
  await cluster?.close();
  cluster = null;
});

async function start(
  ids: readonly (string | number)[],
  wishes?: AnyJoinOptions & { keeps?: boolean },
): Promise<Cluster> {
  cluster = await Cluster.start(ids, wishes);
  return cluster;
}

function stand(members: readonly Member[], election = 'main'): void {
  for (const member of members) member.seat(election).stand();
}

function tokenOf(member: Member, election = 'main'): bigint {
  return member.electionPort(election).token!;
}

describe('real members', () => {
  for (const ids of [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd', 'e']]) {
    it(`elect one of ${ids.length}`, async () => {
      const { members } = await start(ids);
      stand(members);
      const leader = await cluster!.leader();
      expect(cluster!.acting()).toEqual([leader]);
      expect(leader.election().leader()).toMatchObject({ name: String(leader.id) });
      expect(tokenOf(leader)).toBeGreaterThan(0n);
    });
  }

  it('never lead unless one of them stands', async () => {
    const { members } = await start(['a', 'b', 'c']);
    stand([members[1]!]);
    const leader = await cluster!.leader();
    expect(leader.id).toBe('b');
    await leader.seat().withdraw();
    expect(leader.electionPort('main').acting).toBe(false);
    stand([members[2]!]);
    expect((await cluster!.leader()).id).toBe('c');
  });

  it('hand over when the leader leaves, with a larger token', async () => {
    await start(['a', 'b', 'c']);
    let newest = 0n;
    stand(cluster!.members);
    for (const left of [2, 1]) {
      const leader = await cluster!.leader();
      expect(tokenOf(leader)).toBeGreaterThan(newest);
      newest = tokenOf(leader);
      await cluster!.leave(leader.id);
      expect(cluster!.members).toHaveLength(left);
      if (left === 1) break;
    }
    // One of three is no majority.
    expect(cluster!.acting()).toEqual([]);
  });

  it.each([
    ['with', true],
    ['without', false],
  ])('%s data folders go on growing tokens after all of them were restarted', async (_, keeps) => {
    await start(['a', 'b', 'c'], { keeps });
    let newest = 0n;
    for (let round = 0; round < 3; round++) {
      stand(cluster!.members);
      const leader = await cluster!.leader();
      expect(tokenOf(leader)).toBeGreaterThan(newest);
      newest = tokenOf(leader);
      await Promise.all(cluster!.ids.map((id) => cluster!.leave(id)));
      await Promise.all(cluster!.ids.map((id) => cluster!.join(id)));
    }
  });

  it('wait at the first start until all three are there, and say for whom', async () => {
    cluster = await Cluster.open(['a', 'b', 'c'], { keeps: true });
    await cluster.join('a');
    await cluster.join('b');
    stand(cluster.members);
    const text =
      'waiting for c: the first start of a cluster, or a start after disks were lost, needs 3 of its 3 members';
    for (const id of ['a', 'b'])
      await cluster.until(() => cluster!.log.some((line) => line.startsWith(`${id}: main: ${text}`)));
    expect(cluster.acting()).toEqual([]);
    stand([await cluster.join('c')]);
    await cluster.leader();
  });

  it('warn about an option that does nothing any more', async () => {
    await start(['a'], { firstStart: true });
    expect(cluster!.log).toContain('a: firstStart is no longer needed and is ignored');
  });

  it('tell each other what the leader published', async () => {
    const { members } = await start(['a', 'b', 'c']);
    stand(members);
    const leader = await cluster!.leader();
    const version = await leader.seat().publish({ shard: 7 });
    expect(version).toBeGreaterThan(0);
    const all = await cluster!.until(() =>
      members.every((member) => member.seat().standing.version === version) ? members : null,
    );
    for (const member of all) expect(member.seat().standing.value).toEqual({ shard: 7 });
  });

  it('transfer the lead to whom they are told', async () => {
    const { members } = await start([1, 2, 3]);
    stand(members);
    const leader = await cluster!.leader();
    const to = members.find((member) => member !== leader)!;
    // Whoever is to take over has to have answered a heartbeat of this leader.
    await expect
      .poll(() =>
        leader
          .seat()
          .transfer(String(to.id))
          .then(
            () => 'done',
            (error: Error) => error.message,
          ),
      )
      .toBe('done');
    expect((await cluster!.leader()).id).toBe(to.id);
  });

  it('take part again in an election that they had left', async () => {
    const { members } = await start(['a', 'b', 'c']);
    const [a] = members as [Member];
    const first = a.election('job');
    expect(a.election('job')).toBe(first);
    const before = await first.campaign();
    await before.resign();
    await first.close();
    const again = a.election('job');
    expect(again).not.toBe(first);
    const after = await again.campaign();
    expect(after.token).toBeGreaterThan(before.token);
    await after.resign();
  });

  it('open an election when they hear of it, as voters', async () => {
    const { members } = await start(['a', 'b', 'c']);
    stand([members[0]!], 'nightly');
    expect((await cluster!.leader('nightly')).id).toBe('a');
    for (const member of members) expect(member.elections.map(({ name }) => name)).toContain('nightly');
    expect(members[1]!.electionPort('nightly').view.leader).toBe('a');
  });

  it('show no election without a candidate, and answer for the only one that has one', async () => {
    // A lease that a busy machine does not end while the questions are asked.
    const { members } = await start(['a', 'b', 'c'], { timing: { timeoutMs: [3000, 6000] } });
    stand(members, 'report');
    const leader = await cluster!.leader('report');
    const get = async (path: string) => await fetch(`${leader.url}${path}`);
    expect(await (await get('/metrics')).text()).not.toContain('election="main"');
    expect(await (await get('/elections')).json()).toMatchObject({
      mainElection: 'report',
      elections: [{ electionName: 'report', acting: true }],
    });
    expect((await get('/leader')).status).toBe(200);
    expect(await (await get('/status')).json()).toMatchObject({ electionName: 'report' });
    expect((await get('/elections/main/leader')).status).toBe(503);
    // `main` waits for members that will never stand in it: that is nothing to tell.
    await cluster!.leave(String(members.find((member) => member !== leader)!.id));
    expect(cluster!.log.join('\n')).toMatch(/report: . leads/);
    expect(cluster!.log.filter((line) => line.includes(' main: '))).toEqual([]);
  });

  it('say so where more peers are configured than there are members', async () => {
    cluster = await Cluster.open(['a', 'b', 'c', 'd'], { keeps: true });
    const three = cluster.peers.slice(0, 3);
    await Promise.all(['a', 'b', 'c'].map((id) => cluster!.join(id, { peers: three })));
    stand(cluster.members);
    await cluster.leader();
    await cluster.leave('a');
    await cluster.join('a');
    (await cluster.join('d')).seat().stand();
    const told = (id: string) => (line: string) =>
      line.startsWith(
        `${id}: the members of the cluster are a, b, c; ${id === 'd' ? 'd is not a member of the cluster' : 'd is configured as a peer, but is not a member: it takes no part'}`,
      );
    await cluster.until(() => cluster!.log.some(told('a')) && cluster!.log.some(told('d')));
    expect(cluster.log.filter(told('a'))).toHaveLength(1);
    expect(cluster.log.join('\n')).toContain('d: main: d is not a member: the members are a, b, c (removed)');
    expect(cluster.log.filter((line) => /^[bc]: the members of the cluster/.test(line))).toEqual([]);
  });

  it('run a hundred elections over the same connections', async () => {
    const { members } = await start(['a', 'b', 'c'], { timing: { timeoutMs: [1000, 2000] } });
    const names = Array.from({ length: 100 }, (_, i) => `job-${i}`);
    for (const [i, name] of names.entries()) stand([members[i % 3]!], name);
    const leaders = await Promise.all(names.map((name) => cluster!.leader(name)));
    expect(leaders).toEqual(names.map((_, i) => members[i % 3]));
    for (const member of members) expect(member.links.filter(({ via }) => via === 'link')).toHaveLength(2);
  });
});

describe('real members of every protocol', () => {
  const FAST: Readonly<Record<string, object>> = {
    bully: { heartbeatMs: 100 },
    'chang-roberts': { heartbeatMs: 100, timeoutMs: [400, 600] },
    draw: { heartbeatMs: 100, timeoutMs: [100, 200] },
    epoch: { heartbeatMs: 100, timeoutMs: [400, 800] },
    quorum: {},
    ring: { heartbeatMs: 100, timeoutMs: [400, 600] },
  };
  for (const protocol of Object.keys(catalogue)) {
    it(`five of ${protocol} elect, and elect again when the leader has left and when it is back`, async () => {
      await start([1, 2, 3, 4, 5], { protocol, timing: FAST[protocol]! as Record<string, unknown> });
      stand(cluster!.members);
      const first = await cluster!.leader();
      await cluster!.leave(first.id);
      const second = await cluster!.leader();
      expect(second.id).not.toBe(first.id);
      stand([await cluster!.join(first.id)]);
      const third = await cluster!.leader();
      expect(cluster!.members).toHaveLength(5);
      expect(cluster!.acting()).toEqual([third]);
    });
  }
});

describe('a member with a fault', () => {
  it('that lost its data folder stops voting, says so, and the others go on', async () => {
    const { members } = await start(['a', 'b', 'c'], { keeps: true });
    stand(members);
    const leader = await cluster!.leader();
    // A write of its history that is under way would leave a file in a folder that is being removed.
    rmSync(cluster!.dataOf(leader.id), { recursive: true, maxRetries: 5 });
    await leader.seat().resign();
    const next = await cluster!.until(() => {
      const [acting] = cluster!.acting();
      return acting !== undefined && acting !== leader ? acting : null;
    });
    expect(next).not.toBe(leader);
    await cluster!.until(() => leader.illness);
    expect(leader.illness).toMatch(/data folder/);
    const health = await fetch(`${leader.url}/health`);
    expect(health.status).toBe(503);
  });

  it('that finds its records damaged does not start, and says what to do', async () => {
    await start(['a', 'b', 'c'], { keeps: true });
    stand(cluster!.members);
    await cluster!.leader();
    await cluster!.leave('a');
    const file = path.join(cluster!.dataOf('a'), 'election-main.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"term":\d+/, '"term":0'));
    await expect(cluster!.join('a')).rejects.toMatchObject({
      code: 'E_STORE_CORRUPT',
      message: expect.stringContaining('move the whole data folder away'),
    });
    rmSync(cluster!.dataOf('a'), { recursive: true });
    stand([await cluster!.join('a')]);
    await cluster!.leader();
    expect(cluster!.members).toHaveLength(3);
  });

  it('of another cluster is refused, counted, and named on both sides', async () => {
    cluster = await Cluster.open(['a', 'b']);
    const a = await cluster.join('a');
    const b = await cluster.join('b', { cluster: 'another' });
    await cluster.until(() => a.refusals['other-cluster'] > 0 && b.refusals['other-cluster'] > 0);
    const both = `member a at ${a.url} belongs to the cluster "caucus", member b at ${b.url} to "another"`;
    await cluster.until(() => cluster!.log.includes(`a: b (${b.url}) refuses this member: ${both}`));
    await cluster.until(() =>
      cluster!.log.some((line) => line.startsWith('b: 127.0.0.1:') && line.endsWith(` is refused: ${both}`)),
    );
    expect(a.links.map(({ via }) => via)).not.toContain('link');
  });

  it('that plays by other rules is refused: its leases might be longer than the promises of the others', async () => {
    cluster = await Cluster.open(['a', 'b']);
    const a = await cluster.join('a');
    const b = await cluster.join('b', { options: { preset: 'lan', maxDrift: 0.02 } });
    await cluster.until(() => a.refusals['other-rules'] > 0 && b.refusals['other-rules'] > 0);
    expect(cluster.log.join('\n')).toMatch(
      /has other settings than .*: maxDrift: (a has 0.01, b has 0.02|b has 0.02, a has 0.01); give/,
    );
    expect(a.links.map(({ via }) => via)).not.toContain('link');
  });

  it('that has other times is connected, with a warning: every request says for how long', async () => {
    cluster = await Cluster.open(['a', 'b']);
    const a = await cluster.join('a');
    const b = await cluster.join('b', { timing: { timeoutMs: [1500, 3000] } });
    await cluster.until(() => [a, b].every(({ links }) => links.some(({ via }) => via === 'link')));
    expect(cluster.log.join('\n')).toMatch(
      /is configured with other times than .*: timeoutMs: (a has the default, b has \[1500,3000\]|b has \[1500,3000\], a has the default); leaders/,
    );
    stand([a, b]);
    await cluster.leader();
  });

  it.each([
    [
      { options: { preset: 'lan' } },
      { timing: { timeoutMs: [150, 300], leaseMs: 125 }, options: { preset: 'lan' } },
    ],
    [
      { options: { preset: 'lan' } },
      {
        timing: {
          commitTimeoutMs: 600,
          publishTimeoutMs: 300,
          leaseMs: 125,
          timeoutMs: [150, 300],
          heartbeatMs: 50,
        },
        options: { maxDrift: 0.01, preset: 'steady' },
      },
    ],
  ])('that has the same settings, given in another way, is connected: %j and %j', async (one, other) => {
    cluster = await Cluster.open(['a', 'b']);
    const a = await cluster.join('a', one);
    const b = await cluster.join('b', other);
    await cluster.until(() => [a, b].every(({ links }) => links.some(({ via }) => via === 'link')));
    expect([a.refusals['other-rules'], b.refusals['other-rules']]).toEqual([0, 0]);
  });
});
