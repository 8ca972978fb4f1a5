import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, openMembers, settled, type TestMember, until } from './test-member.ts';

const DRAW = { protocol: 'draw', timing: { heartbeatMs: 20, timeoutMs: [20, 40] } };

let members: TestMember[] = [];
afterEach(async () => {
  for (const member of members) await member.close();
  members = [];
});

/** The voters of draw count heartbeats, not time: however busy the machine is, the leader stays. */
async function openThree(): Promise<{ leader: TestMember; follower: TestMember }> {
  members = await openMembers(['a', 'b', 'c'], DRAW);
  const leader = await settled(members);
  return { leader, follower: members.find((member) => member !== leader)! };
}

async function openOne(): Promise<TestMember> {
  members = await openMembers(['solo']);
  return settled(members);
}

/** A member that leads both; bully has no leases, so that no busy machine ends them. */
async function openTwoElections(): Promise<{ solo: TestMember; reports: TestMember['main'] }> {
  members = await openMembers(['solo'], { protocol: 'bully' });
  const solo = await settled(members);
  const reports = solo.electionPort('reports');
  await until(reports, () => reports.acting);
  return { solo, reports };
}

describe('health', () => {
  it('answers 200 for yes and 503 for no, as Patroni does, to GET, HEAD and OPTIONS', async () => {
    const { leader, follower } = await openThree();
    const expected: Record<string, [leading: number, following: number]> = {
      '/leader': [200, 503],
      '/primary': [200, 503],
      '/read-write': [200, 503],
      '/replica': [503, 200],
      '/read-only': [200, 200],
      '/health': [200, 200],
      '/liveness': [200, 200],
      '/readiness': [200, 200],
      '/readiness?mode=voting': [200, 200],
    };
    for (const [path, [leading, following]] of Object.entries(expected)) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const answers = [await ask(leader, method, path), await ask(follower, method, path)];
        const found = answers.map(({ status }) => status);
        expect([method, path, ...found]).toEqual([method, path, leading, following]);
        if (method !== 'GET') expect(answers.map(({ text }) => text)).toEqual(['', '']);
      }
    }
  });

  it('tells the status with GET', async () => {
    const solo = await openOne();
    const { json } = await ask(solo, 'GET', '/leader');
    expect(json).toMatchObject({ voterId: 'solo', leader: 'solo', acting: true, token: '1' });
  });

  it('is bad while the member is ill, but no reason to restart it', async () => {
    const solo = await openOne();
    solo.illness = 'the disk is full';
    expect((await ask(solo, 'GET', '/health')).status).toBe(503);
    expect((await ask(solo, 'GET', '/readiness')).status).toBe(503);
    expect((await ask(solo, 'GET', '/liveness')).status).toBe(200);
    expect((await ask(solo, 'GET', '/health')).json.illness).toBe('the disk is full');
  });

  it('keeps readers away from a follower that is ill', async () => {
    const { follower } = await openThree();
    follower.illness = 'the disk is full';
    expect((await ask(follower, 'GET', '/replica')).status).toBe(503);
    expect((await ask(follower, 'GET', '/read-only')).status).toBe(503);
  });

  it('waits with ?mode=voting until the member takes part', async () => {
    const [x, y] = (await openMembers(['x', 'y'], DRAW)) as [TestMember, TestMember];
    members = [x];
    await y.close();
    x.electionPort('lonely');
    expect((await ask(x, 'GET', '/elections/lonely/readiness')).status).toBe(200);
    expect((await ask(x, 'GET', '/elections/lonely/readiness?mode=voting')).status).toBe(503);
  });
});

describe('GET', () => {
  it('/ gives the leader as sidecars do, and text to whoever prefers it', async () => {
    const solo = await openOne();
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { json } = await ask(solo, 'GET', '/', undefined, accept === undefined ? {} : { accept });
      expect(json).toMatchObject({ name: 'solo', electionName: 'main' });
      expect(Date.parse(json.last_update)).toBeGreaterThan(0);
    }
    const page = await ask(solo, 'GET', '/', undefined, { accept: 'text/html,*/*;q=0.8' });
    expect(page.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(page.text).toContain('Election main: solo leads, term 1.');
  });

  it('/ has an empty name while nobody leads', async () => {
    members = await openMembers(['a', 'b', 'c']);
    const [a, b, c] = members as [TestMember, TestMember, TestMember];
    await b.close();
    await c.close();
    members = [a];
    await until(a.main, () => a.main.view.leader === null);
    expect((await ask(a, 'GET', '/')).json).toMatchObject({ name: '', leader: null, token: null });
  });

  it('/status tells who leads and who votes', async () => {
    const { follower } = await openThree();
    const { json } = await ask(follower, 'GET', '/status');
    expect(json).toMatchObject({
      voterId: follower.id,
      voterUrl: follower.url,
      knownVoters: ['a', 'b', 'c'],
    });
    expect(json.voters).toMatchObject(
      members.map(({ id, url }) => ({ voterId: id, voterUrl: url, configured: true })),
    );
    expect(json.leaderUrl).toBe(members.find(({ id }) => id === json.leader)?.url);
  });

  it('/status of draw has what the protocol itself says', async () => {
    members = await openMembers([1, 2], {
      protocol: 'draw',
      timing: { heartbeatMs: 20, timeoutMs: [20, 40] },
    });
    await settled(members);
    const { json } = await ask(members[0]!, 'GET', '/status');
    expect(json).toMatchObject({ voterId: 1, knownVoters: [1, 2], offline: [], election: json.term });
  });

  it('/cluster lists all members in the words of Patroni', async () => {
    const { leader } = await openThree();
    const others = members.filter((member) => member !== leader);
    const counts = { queued: 0, sent: 0, received: 0, dropped: 0, bytesSent: 0, bytesReceived: 0 };
    leader.links = [
      { id: others[0]!.id, url: others[0]!.url, via: 'link', roundTripMs: 0.5, ...counts },
      { id: others[1]!.id, url: others[1]!.url, via: 'none', roundTripMs: null, ...counts },
    ];
    const { json } = await ask(leader, 'GET', '/cluster');
    expect(json).toMatchObject({ scope: 'tests', electionName: 'main' });
    const entries = new Map(json.members.map((entry: { name: string }) => [entry.name, entry]));
    expect(entries.get(leader.id)).toMatchObject({ state: 'running', via: 'self', host: '127.0.0.1' });
    expect(entries.get(others[0]!.id)).toMatchObject({ state: 'running', via: 'link', roundTripMs: 0.5 });
    expect(entries.get(others[1]!.id)).toMatchObject({
      state: 'unknown',
      via: 'none',
      api_url: others[1]!.url,
    });
    const roles = json.members.map((entry: { role: string }) => entry.role).sort();
    expect(roles).toEqual(['leader', 'replica', 'replica']);
  });

  it('/cluster does not call a member a replica that votes no more', async () => {
    members = await openMembers(['a', 'b', 'c']);
    for (let isDone = false; !isDone; ) {
      const leader = await settled(members);
      const removed = members.find((member) => member !== leader)!.id;
      // It refuses until the first seats are filled, and if another member leads by now.
      const { status } = await leader.main.command({ type: 'remove', member: removed });
      isDone = status === 'done';
      if (!isDone) await delay(10);
      else {
        const { json } = await ask(leader, 'GET', '/cluster');
        const entry = json.members.find(({ name }: { name: string }) => name === String(removed));
        expect(entry).toMatchObject({ role: 'none' });
      }
    }
  });

  it('/history has every change with its cause', async () => {
    const solo = await openOne();
    await solo.main.command({ type: 'resign' });
    await until(solo.main, () => solo.main.acting && solo.main.view.term! > 1);
    const { json } = await ask(solo, 'GET', '/history');
    const causes = json.history.map(({ cause }: { cause: string }) => cause);
    expect(causes).toEqual(['won', 'resigned', 'won']);
    expect(json.history.map(({ token }: { token: string }) => token)).toEqual([
      '1',
      null,
      expect.any(String),
    ]);
    expect(json.history[0].at).toBe(new Date(json.history[0].atMs).toISOString());
  });

  it('/elections lists them, and /elections/NAME is about one', async () => {
    const solo = await openOne();
    const reports = solo.electionPort('reports');
    await until(reports, () => reports.acting);
    const { json } = await ask(solo, 'GET', '/elections');
    expect(json.mainElection).toBe('main');
    expect(json.elections.map((each: { electionName: string }) => each.electionName)).toEqual([
      'main',
      'reports',
    ]);
    expect((await ask(solo, 'GET', '/elections/reports/status')).json.electionName).toBe('reports');
    expect((await ask(solo, 'GET', '/elections/reports')).json.electionName).toBe('reports');
    expect((await ask(solo, 'GET', '/status?election=reports')).json.electionName).toBe('reports');
    expect((await ask(solo, 'GET', '/elections/reports/leader')).status).toBe(200);
  });

  it('/elections and /changes are sent again only if they have changed', async () => {
    const { solo, reports } = await openTwoElections();
    for (const path of ['/elections', '/changes']) {
      const { status, headers } = await ask(solo, 'GET', path);
      expect([path, status, headers.etag]).toEqual([path, 200, expect.stringMatching(/^"[\w-]{22}"$/)]);
      const tag = { 'if-none-match': headers.etag! };
      const same = await ask(solo, 'GET', path, undefined, tag);
      expect([path, same.status, same.text, same.headers.etag]).toEqual([path, 304, '', headers.etag]);
      const jobs = solo.electionPort(`after${path.replace('/', '-')}`);
      await until(jobs, () => jobs.acting);
      const news = await ask(solo, 'GET', path, undefined, tag);
      expect([path, news.status]).toEqual([path, 200]);
      expect(news.headers.etag).not.toBe(headers.etag);
    }
    const { json } = await ask(solo, 'GET', '/elections');
    const since = reports.history.find(({ leader }) => leader === 'solo')!.atMs;
    expect(json.elections[1]).toMatchObject({ electionName: 'reports', leader: 'solo', sinceMs: since });
  });

  it('/changes has what the histories of all elections have, in the order of time', async () => {
    const { solo, reports } = await openTwoElections();
    const { json } = await ask(solo, 'GET', '/changes');
    const changes: { electionName: string; atMs: number }[] = json.changes;
    for (const { name, history } of [solo.main, reports]) {
      const own = (await ask(solo, 'GET', `/elections/${name}/history`)).json.history;
      expect(own).toHaveLength(history.length);
      expect(changes.filter(({ electionName }) => electionName === name)).toEqual(
        own.map((entry: object) => ({ electionName: name, ...entry })),
      );
    }
    const times = changes.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((await ask(solo, 'GET', '/elections/main/changes')).status).toBe(404);
  });

  it('opens no election by asking', async () => {
    const solo = await openOne();
    const { status, json } = await ask(solo, 'GET', '/elections/nobody-knows/status');
    expect([status, json.error.code]).toEqual([404, 'E_NO_ELECTION']);
    expect(json.error.message).toBe('this member knows no election "nobody-knows"; it knows main');
    expect(solo.elections.length).toBe(1);
  });

  it('/ui leads to the page, wherever the member is mounted', async () => {
    const { status, headers } = await ask(await openOne(), 'GET', '/ui');
    expect([status, headers.location]).toEqual([302, 'ui/']);
  });
});

describe('a wrong request', () => {
  it('gets 404 for an unknown path, on one line', async () => {
    const { status, text } = await ask(await openOne(), 'GET', '/nowhere');
    expect(status).toBe(404);
    expect(text).toBe(
      '{"error":{"code":"E_NOT_FOUND","message":"there is nothing at /nowhere; /openapi.json lists what there is"}}\n',
    );
  });

  it('gets 405 with what is allowed', async () => {
    const solo = await openOne();
    for (const [method, path, allow] of [
      ['DELETE', '/status', 'GET, HEAD, OPTIONS'],
      ['PUT', '/resign', 'POST'],
      ['GET', '/transfer', 'POST'],
      ['POST', '/value', 'GET, HEAD, OPTIONS, PUT'],
      ['POST', '/metrics', 'GET, HEAD, OPTIONS'],
      ['GET', '/heartbeat', 'POST'],
    ]) {
      const { status, headers } = await ask(solo, method!, path!);
      expect([method, path, status, headers.allow]).toEqual([method, path, 405, allow]);
    }
  });

  it('gets 404 for names that every object has', async () => {
    const solo = await openOne();
    for (const path of ['/constructor', '/__proto__', '/toString']) {
      expect((await ask(solo, 'POST', path, {})).status).toBe(404);
      expect((await ask(solo, 'GET', path)).status).toBe(404);
    }
    expect(solo.refusals['unknown-type']).toBe(3);
  });

  it('gets 400 for a name that no election can have', async () => {
    const solo = await openOne();
    const bad = await ask(solo, 'POST', '/elections/a%2Fb/election/start', {});
    expect([bad.status, bad.json.error.code]).toEqual([400, 'E_BAD_INPUT']);
    const broken = await ask(solo, 'GET', '/elections/%E0%A4%A/status');
    expect([broken.status, broken.json.error.code]).toEqual([400, 'E_BAD_INPUT']);
  });

  it('is told by OPTIONS what a path takes', async () => {
    const solo = await openOne();
    const { status, headers } = await ask(solo, 'OPTIONS', '/value');
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, PUT']);
    expect((await ask(solo, 'OPTIONS', '/nowhere')).status).toBe(404);
  });
});
