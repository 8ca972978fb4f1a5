/** The leases that members keep for programs that are no members: what they answer, and whom they refuse. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { type CaucusOptions, caucus } from '../../src/engines/caucus/index.ts';
import { LEASES_ELECTION } from '../../src/leases/index.ts';
import { join, type Member } from '../../src/member/index.ts';
import { Cluster } from '../api/cluster.ts';

const SESSION = 'a-session-of-many-characters';
const LEAD = 'token-that-may-lead-1';
const READ = 'token-that-may-read-1';
const OPERATE = 'token-that-may-operate-1';

const cluster = new Cluster();
const engines: { close(): Promise<void> }[] = [];

const urlOf = (members: readonly Member[]): string =>
  `caucus://${members.map(({ url }) => new URL(url).host).join(',')}`;

function open(
  options: CaucusOptions = {},
  members: readonly Member[] = cluster.members,
): ReturnType<typeof caucus> {
  const engine = caucus(urlOf(members), { leaseMs: 10_000, ...options });
  engines.push(engine);
  return engine;
}

interface Answer {
  readonly token: string;
  readonly error: { readonly code: string; readonly message: string };
}

async function post(url: string, body: unknown, token?: string): Promise<{ status: number; body: Answer }> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Answer };
}

const manager = (): Member =>
  cluster.members.find((member) =>
    member.elections.some(({ name, acting }) => name === LEASES_ELECTION && acting),
  )!;

beforeAll(async () => {
  await cluster.open(['a', 'b', 'c'], { leases: true });
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
  await cluster.closeAll();
});

describe('three members that keep leases', () => {
  it('open nothing for a program that only reads, and say that nothing is held', async () => {
    const [first] = cluster.members as [Member];
    for (const [path, body] of [
      ['/leases/read', { election: 'first' }],
      ['/leases/watch', { session: SESSION, elections: ['first'] }],
    ] as const)
      expect(await post(`${first.url}${path}`, body)).toMatchObject({
        status: 503,
        body: { error: { code: 'E_NOT_OPENED' } },
      });
    expect((await fetch(`${first.url}/elections/${LEASES_ELECTION}/status`)).ok).toBe(false);
    const seat = open({ name: 'reader' }).seat('first');
    await expect.poll(() => seat.standing).toMatchObject({ isKnown: true, leader: null, version: 0 });
    for (const member of cluster.members)
      expect(member.elections.map(({ name }) => name)).not.toContain(LEASES_ELECTION);
  });

  it('have no election for them until the first participant comes, and then one that is shown by its name', async () => {
    const names = (): string[] => cluster.members[0]!.elections.map(({ name }) => name);
    expect(names()).not.toContain(LEASES_ELECTION);
    const election = new Election('first', open({ name: 'p' }));
    const leadership = await election.campaign();
    expect(leadership.token >> 22n).toBe(
      manager().elections.find(({ name }) => name === LEASES_ELECTION)!.token,
    );
    expect(cluster.members.map((member) => member.elections.at(-1)!.name)).toEqual(
      Array(3).fill(LEASES_ELECTION),
    );
    await leadership.resign();
    await election.close();
  });

  it('answer, where they do not manage the leases, which member does', async () => {
    const other = cluster.members.find((member) => member !== manager())!;
    const { status, body } = await post(`${other.url}/leases/read`, { election: 'x' });
    expect(status).toBe(421);
    expect(body.error).toMatchObject({
      code: 'E_NOT_MANAGER',
      leader: manager().id,
      leaderUrl: manager().url,
      outcome: 'definite',
    });
  });

  it.each([
    ['/leases/take', {}, 'election: expected a name'],
    ['/leases/take', { election: '__proto__', session: 'x' }, 'session: expected 22 to 64'],
    [
      '/leases/renew',
      { election: 'x', session: SESSION, token: '0' },
      'token: expected a token: decimal digits',
    ],
    ['/leases/read', { election: 'x', more: 1 }, 'more: expected one of the fields election'],
    [
      '/leases/watch',
      { session: SESSION, elections: Array(1001).fill('x') },
      'elections: expected at most 1000',
    ],
  ])('refuse at %s the body %j', async (path, body, message) => {
    const { status, body: answer } = await post(`${manager().url}${path}`, body);
    expect(status).toBe(400);
    expect(answer.error.message.startsWith(message), answer.error.message).toBe(true);
  });

  it('keep their own register from programs and operators', async () => {
    const member = manager();
    const refused =
      'election: expected a name that members do not use among themselves, found "caucus.leases"';
    expect(() => member.election(LEASES_ELECTION)).toThrow(refused);
    await expect(join({ election: LEASES_ELECTION })).rejects.toThrow(refused);
    const response = await fetch(`${member.url}/elections/${LEASES_ELECTION}/value`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"value":null}',
    });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('written by the lease manager alone');
  });

  it('show sessions to no reader', async () => {
    const { body } = await post(`${manager().url}/leases/take`, {
      election: 'shown',
      session: SESSION,
      attempt: 1,
      name: 'p',
      leaseMs: 1000,
    });
    expect(BigInt(body.token)).toBeGreaterThan(0n);
    const value = await (await fetch(`${manager().url}/elections/${LEASES_ELECTION}/value`)).text();
    expect(value).toContain('"holder":"p"');
    expect(value).not.toContain(SESSION);
  });

  it('refuse a value that is too large in one line', async () => {
    const election = new Election('large', open());
    const leadership = await election.campaign();
    await expect(leadership.publish('x'.repeat(20_000))).rejects.toMatchObject({
      code: 'E_REFUSED',
      message: 'a value has at most 16,384 characters',
    });
    expect(leadership.isValid()).toBe(true);
    await leadership.resign();
    await election.close();
  });

  it('let a leadership outlive the manager, and keep what was published', async () => {
    const [one, other] = [new Election('lasting', open()), new Election('lasting', open())];
    const leadership = await one.campaign();
    await leadership.publish('kept');
    const before = manager();
    const port = before.electionPort(LEASES_ELECTION);
    await port.command({ type: 'resign' });
    await expect.poll(() => manager()?.id ?? before.id).not.toBe(before.id);
    await expect.poll(() => other.leader()?.token).toBe(leadership.token);
    expect(await leadership.publish('kept on')).toBe(other.version + 1);
    expect(leadership.isValid()).toBe(true);
    const next = other.campaign();
    await leadership.resign();
    const successor = await next;
    expect(successor.token).toBeGreaterThan(leadership.token);
    expect(other.value).toBe('kept on');
    await successor.resign();
    await other.close();
  });
});

describe('members with tokens', () => {
  it('let only participants with the role lead take an election', async () => {
    const tokens = [
      { name: 'pods', roles: ['lead'], token: LEAD },
      { name: 'prom', roles: ['read'], token: READ },
      { name: 'ann', roles: ['operate'], token: OPERATE },
    ] as const;
    await using member = await join({
      id: 'alone',
      peers: [],
      leases: true,
      closed: true,
      tokens,
      log: () => {},
    });
    const url = `${member.url}/leases`;
    const body = { election: 'x', session: SESSION, attempt: 1, name: 'p', leaseMs: 5000 };
    const statuses = async (path: string, sent: unknown): Promise<number[]> =>
      Promise.all(
        [undefined, READ, OPERATE].map(async (token) => (await post(`${url}${path}`, sent, token)).status),
      );
    const won = new Election('x', open({ token: LEAD }, [member]));
    const leadership = await won.campaign();
    expect(await statuses('/take', body)).toEqual([401, 403, 403]);
    expect(await statuses('/read', { election: 'x' })).toEqual([401, 200, 200]);
    expect((await post(`${member.url}/resign`, {}, LEAD)).status).toBe(403);
    const wrong = new Election('x', open({ token: READ }, [member]));
    await expect.poll(() => wrong.leader()?.token).toBe(leadership.token);
    await leadership.resign();
    await won.close();
    const campaign = wrong.campaign({ signal: AbortSignal.timeout(20_000) }).catch(() => 'aborted');
    for await (const { cause, detail } of wrong.observe()) {
      if (cause !== 'store-unreachable') continue;
      expect(detail).toContain('this token may not do that: expected one with the role lead');
      expect(detail).not.toContain(READ);
      break;
    }
    await wrong.close();
    expect(await campaign).toBe('aborted');
  });
});

describe('a member that keeps no leases', () => {
  it('says so', async () => {
    await using member = await join({ id: 'alone', peers: [], log: () => {} });
    const { status, body } = await post(`${member.url}/leases/read`, { election: 'x' });
    expect(status).toBe(404);
    expect(body.error.code).toBe('E_NO_LEASES');
    const { paths } = (await (await fetch(`${member.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.startsWith('/leases'))).toEqual([]);
  });
});
