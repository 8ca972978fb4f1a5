/** The page of `caucus up`, and the API beside it: it outlives every member. */
import http from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { EventReader } from '../page/event-reader.ts';
import { caucus } from './caucus.ts';
import { isActing, type Printed, UpCluster } from './up-cluster.ts';

let cluster: UpCluster;
const readers: EventReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await cluster.stop();
});

let chaos: Record<string, string> = {};

async function up(...args: string[]): Promise<{ url: string; leader: Printed }> {
  cluster = new UpCluster(args);
  const leader = await cluster.seen(isActing);
  chaos = args.includes('--chaos') ? { authorization: `Bearer ${await cluster.pageToken()}` } : {};
  return { url: await cluster.pageUrl(), leader };
}

async function watch(url: string): Promise<EventReader> {
  const reader = await EventReader.open(url);
  readers.push(reader);
  return reader;
}

async function get(url: string): Promise<Printed> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return response.json();
}

async function post(url: string, body: object, headers: object = {}): Promise<[number, Printed]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...chaos, ...headers },
    body: JSON.stringify(body),
  });
  return [response.status, await response.json()];
}

describe('the page of caucus up', () => {
  it('is told after the members, and asks on when the one that answers dies', async () => {
    const { url } = await up('--members', '3');
    expect(cluster.events.findIndex(({ event }) => event === 'page')).toBeGreaterThanOrEqual(3);
    expect(await get(`${url}about.json`)).toEqual({ mode: 'up', chaos: false, api: './', tokens: [] });
    expect(await (await fetch(url)).text()).toContain('<div id="page">');
    for (const name of ['status', 'cluster', 'history', 'elections/main/status', 'status?election=main']) {
      expect((await get(`${url}${name}`)).electionName).toBe('main');
    }
    expect((await get(`${url}elections`)).mainElection).toBe('main');

    expect((await fetch(`${url}watch`, { method: 'HEAD' })).status).toBe(200);
    const events = await watch(`${url}watch`);
    const first = await events.seen('state', (state) => state.leader !== null);
    await events.seen('fleet', ({ members }) => members.length === 3);
    // A member's own stream goes on as well when another has gone.
    const other = cluster.events.find(({ event, id }) => event === 'member' && id !== first.leader);
    const own = await watch(`${other.url}/watch`);
    await own.seen('state', () => true);
    process.kill(cluster.pidOf(first.leader), 'SIGKILL');
    const isNext = (state: Printed): boolean =>
      state.leader !== null && BigInt(state.token) > BigInt(first.token);
    const next = await events.seen('state', isNext);
    expect(next.leader).not.toBe(first.leader);
    await own.seen('state', isNext);
    await events.seen('fleet', ({ members }) => members[first.leader - 1].state === 'down');
    const { members } = await get(`${url}fleet`);
    expect(members[first.leader - 1]).toMatchObject({ id: first.leader, pid: null, state: 'down' });
    expect((await get(`${url}status`)).voterId).not.toBe(first.leader);
  });

  it('passes commands on to the leader, and what is refused back', async () => {
    const { url } = await up('--members', '3', '--timing', 'timeoutMs=[1000,1500]');
    const { leader } = await get(`${url}status`);
    const to = [1, 2, 3].find((id) => id !== leader)!;
    const seen = cluster.events.length;
    expect(await post(`${url}transfer`, { to, leader: to })).toMatchObject([
      412,
      { error: { code: 'E_PRECONDITION' } },
    ]);
    expect(await post(`${url}transfer?election=main`, { to })).toMatchObject([200, { leader: to }]);
    await cluster.seen((event) => isActing(event) && event.id === to, seen);
    expect(await post(`${url}resign`, {})).toMatchObject([200, { voterId: to }]);
    await cluster.seen((event) => event.event === 'idle' && event.id === to, seen);
    const [status, { error }] = await post(`${url}resign`, {}, { origin: 'http://evil.example' });
    expect([status, error.code]).toEqual([403, 'E_ORIGIN']);
  });

  it('tells why the lead was handed over, and each member tells the same', async () => {
    const { url } = await up('--members', '3', '--timing', 'timeoutMs=[1000,1500]');
    const { leader } = await get(`${url}status`);
    const seen = cluster.events.length;
    await post(`${url}resign`, {});
    await cluster.seen((event) => isActing(event) && event.id !== leader, seen);
    await cluster.seen(({ event, id: who }) => event === 'idle' && who === leader, seen);
    const members = cluster.events.filter(({ event }) => event === 'member');
    for (const where of [url, ...members.map((member) => `${member.url}/`)]) {
      const { history } = await get(`${where}history`);
      const end = history.findLast((row: Printed) => row.leader === null);
      const detail = `${leader} resigned: its resignation was requested`;
      expect(end, where).toMatchObject({ cause: 'resigned', detail });
    }
  });

  it('asks the leader how its election stands, also where the log of the leader does not tell', async () => {
    const { url } = await up('--members', '3', '--chaos', '--timing', 'timeoutMs=[6000,8000]');
    const { leader } = await get(`${url}status`);
    // Of those that are as likely to answer, the first is asked: the last one leads.
    const seen = cluster.events.length;
    if (leader !== 3) {
      await post(`${url}transfer`, { to: 3 });
      await cluster.seen((event) => isActing(event) && event.id === 3, seen);
    }
    // So short a pause takes no lead away, and nothing is said of it.
    await post(`${url}fleet/pause`, { id: 3 });
    await post(`${url}fleet/resume`, { id: 3 });
    expect((await get(`${url}fleet`)).members[2].state).toBe('leading');
    const status = await get(`${url}status`);
    expect(status).toMatchObject({ voterId: 3, leader: 3, acting: true });
    expect(status.expiresInMs).toBeGreaterThan(0);
  });

  it('harms no process unless it was asked for', async () => {
    const { url, leader } = await up('--members', '1');
    for (const deed of ['kill', 'pause', 'resume', 'start']) {
      expect(await post(`${url}fleet/${deed}`, { id: 1 })).toEqual([
        403,
        {
          error: {
            code: 'E_NO_CHAOS',
            message:
              'processes are killed, paused and started from here only if caucus up was started with --chaos',
          },
        },
      ]);
    }
    expect((await get(`${url}fleet`)).members).toMatchObject([{ id: 1, pid: cluster.pidOf(leader.id) }]);
  });

  it('needs the token of the run for --chaos, which no output shows', async () => {
    const { url, leader } = await up('--members', '1', '--chaos');
    const token = await cluster.pageToken();
    expect((await get(`${url}about.json`)).tokens).toEqual(['chaos']);
    const body = { id: leader.id };
    const none = await post(`${url}fleet/kill`, body, { authorization: '' });
    expect(none).toMatchObject([401, { error: { code: 'E_TOKEN_NEEDED' } }]);
    const wrong = await post(`${url}fleet/kill`, body, { authorization: 'Bearer of-some-other-run-here' });
    expect(wrong).toMatchObject([401, { error: { code: 'E_TOKEN' } }]);
    const inUrl = await post(`${url}fleet/kill?token=${token}`, body, { authorization: '' });
    expect(inUrl).toMatchObject([400, { error: { code: 'E_TOKEN_IN_URL' } }]);
    expect((await get(`${url}fleet`)).members).toMatchObject([{ pid: cluster.pidOf(leader.id) }]);
    await cluster.seen(({ event }) => event === 'refused');
    // Commands are as open as at the member itself.
    expect((await post(`${url}resign`, {}, { authorization: '' }))[0]).toBe(200);
    expect((await post(`${url}fleet/kill`, body))[0]).toBe(200);
    const act = await cluster.seen(({ event }) => event === 'act');
    expect(act).toMatchObject({ id: 1, text: 'operator page at 127.0.0.1: kill 1: done' });
    expect(JSON.stringify(cluster.events)).not.toContain(token);
  });

  it('kills, starts, pauses and lets go on with --chaos, and says what cannot be done', async () => {
    const { url, leader } = await up('--members', '3', '--chaos');
    const events = await watch(`${url}watch`);
    const order = (deed: string, id: unknown, headers = {}): Promise<[number, Printed]> =>
      post(`${url}fleet/${deed}`, { id }, headers);
    const becomes = (id: number, ...states: string[]): Promise<Printed> =>
      events.seen('fleet', ({ members }) => states.includes(members[id - 1].state), events.events.length);

    expect((await order('kill', 4))[1].error.message).toBe(
      'id: expected a whole number from 1 to 3, found 4',
    );
    expect((await post(`${url}fleet/kill`, { id: 1, how: 9 }))[0]).toBe(400);
    expect((await order('kill', 1, { origin: 'http://evil.example' }))[0]).toBe(403);
    expect((await fetch(`${url}fleet/kill`)).status).toBe(405);
    expect((await fetch(`${url}fleet`, { method: 'POST' })).status).toBe(405);

    const { id } = leader;
    const down = becomes(id, 'down');
    expect((await order('kill', id))[0]).toBe(200);
    await down;
    expect(await order('kill', id)).toMatchObject([
      409,
      { error: { message: `member ${id} is down already` } },
    ]);
    expect((await order('pause', id))[1].error.message).toBe(`member ${id} does not run`);
    const back = becomes(id, 'up', 'leading');
    expect((await order('start', id))[0]).toBe(200);
    await back;
    expect((await order('start', id))[1].error.message).toBe(`member ${id} runs already`);
    expect((await order('resume', id))[1].error.message).toBe(`member ${id} is not paused`);

    // The stream is that of the leader. When it is paused it says nothing, and another is listened to.
    const fresh = await watch(`${url}watch`);
    const state = await fresh.seen('state', ({ leader: now }) => now !== null);
    const paused = becomes(state.voterId, 'paused');
    expect((await order('pause', state.voterId))[0]).toBe(200);
    await paused;
    await fresh.seen('state', ({ voterId, leader: now }) => voterId !== state.voterId && now !== null);
    expect((await get(`${url}status`)).voterId).not.toBe(state.voterId);
    const goesOn = becomes(state.voterId, 'up', 'leading');
    expect((await order('resume', state.voterId))[0]).toBe(200);
    await goesOn;
  });

  it('shows a leader again that was paused and still leads', async () => {
    const { url, leader } = await up('--members', '1', '--chaos', '--protocol', 'bully');
    const events = await watch(`${url}watch`);
    const order = (deed: string): Promise<[number, Printed]> =>
      post(`${url}fleet/${deed}`, { id: leader.id });
    const state = async (): Promise<string> => (await get(`${url}fleet`)).members[0].state;
    await events.seen('fleet', ({ members }) => members[0].state === 'leading');
    await order('pause');
    expect(await state()).toBe('paused');
    await order('resume');
    expect(await state()).toBe('leading');
  });

  it('has no answer when no member is left, and says so', async () => {
    const { url } = await up('--members', '1', '--chaos');
    const events = await watch(`${url}watch`);
    await post(`${url}fleet/kill`, { id: 1 });
    await events.seen('fleet', ({ members }) => members[0].state === 'down');
    const response = await fetch(`${url}cluster`);
    expect([response.status, await response.text()]).toEqual([
      503,
      '{"error":{"code":"E_NO_MEMBER","message":"no member answers"}}\n',
    ]);
    expect(await post(`${url}resign`, {})).toMatchObject([503, { error: { code: 'E_NO_MEMBER' } }]);
    const seen = events.events.length;
    await post(`${url}fleet/start`, { id: 1 });
    await events.seen('state', ({ leader }) => leader === 1, seen);
  });

  it('is shown under names of this machine only, and has nothing but itself', async () => {
    const { url } = await up('--members', '1');
    const status = (target: string, host: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(url);
        const options = { host: '127.0.0.1', port, path: target, headers: { host }, agent: false };
        http.get(options, (response) => resolve(response.resume().statusCode!)).on('error', reject);
      });
    expect(await status('/fleet', 'localhost')).toBe(200);
    for (const target of ['/', '/fleet', '/status', '/watch'])
      expect(await status(target, 'evil.example')).toBe(403);
    const nothing = [
      '/../package.json',
      '/metrics',
      '/value',
      '/elections/x/index.html',
      '/elections/x/fleet/kill',
    ];
    for (const target of [...nothing, 'http://example.org/status']) {
      expect([target, await status(target, 'localhost')]).toEqual([target, 404]);
    }
  });

  it('refuses a port that is in use, and leaves nothing running', async () => {
    const { url } = await up('--members', '1');
    const { port } = new URL(url);
    const { code, stdout, stderr } = await caucus(['up', '--members', '1', '--ui-port', port]);
    expect([code, stdout, stderr]).toEqual([2, '', `caucus: --ui-port: port ${port} is in use\n`]);
  });
});
