/** Voters of `draw` that lie, flood, or are not wanted: what they cannot do to the others. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { Unreachable } from '../../src/member/unreachable.ts';
import { freePorts } from '../support/free-ports.ts';

const members: Member[] = [];
const logs = new Map<Member, string[]>();

afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.close()));
});

const draw = { protocol: 'draw', timing: { heartbeatMs: 50, timeoutMs: [50, 100] } } as const;

async function start(options: AnyJoinOptions): Promise<Member> {
  const log: string[] = [];
  const member = await join({ ...draw, log: ({ message }) => log.push(message), ...options });
  members.push(member);
  logs.set(member, log);
  return member;
}

const seedOf = (member: Member) => ({ host: `localhost:${new URL(member.url).port}` });
const viewOf = (member: Member) => member.electionPort('main').view;

/** Settles when it is so; looks after every change of one of them. */
async function until(of: readonly Member[], isSo: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (!isSo()) return;
      for (const stop of stops) stop();
      resolve();
    };
    const stops = of.map((member) => member.subscribe(check));
    check();
  });
}

const agree = (of: readonly Member[]): Promise<void> =>
  until(of, () => {
    const [first, ...rest] = of.map((member) => viewOf(member));
    const isLed = first!.leader !== null && of.some(({ id }) => id === first!.leader);
    return isLed && rest.every(({ leader, term }) => leader === first!.leader && term === first!.term);
  });

async function post(to: Member, path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${to.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function openThree(): Promise<Member[]> {
  const first = await start({ id: 'a' });
  const rest = [await start({ id: 'b', seed: seedOf(first) }), await start({ id: 'c', seed: seedOf(first) })];
  const all = [first, ...rest];
  await until(all, () => all.every((member) => viewOf(member).members?.length === 3));
  await agree(all);
  return all;
}

describe('a voter that lies', () => {
  it('cannot use up the numbers of elections', async () => {
    const all = await openThree();
    const [first] = all as [Member];
    const voter = { voterId: 'liar', voterUrl: 'http://127.0.0.1:9' };
    expect((await post(first, '/register', voter)).status).toBe(200);
    const most = Number.MAX_SAFE_INTEGER;
    const status = { role: 'follower', leader: null, term: 0, election: most, knownVoters: [], offline: [] };
    expect(await post(first, '/heartbeat', { ...voter, ...status })).toMatchObject({
      status: 409,
      text: expect.stringContaining('more terms, elections, versions or starts than there can be by now'),
    });
    expect((await post(first, '/heartbeat', { ...voter, ...status, election: 0, term: most })).status).toBe(
      409,
    );
    const start = { ...voter, election: most, voters: ['a', 'b', 'c'] };
    expect((await post(first, '/election/start', start)).status).toBe(409);
    // And elections are held as before.
    const before = viewOf(first).term!;
    await post(first, '/election/start', {});
    await until(all, () => all.every((member) => viewOf(member).term! > before));
    expect(viewOf(first).term).toBeLessThan(1000);
  });

  it.each([
    ['a name of 10,000 characters', { voterId: 'x'.repeat(10_000), voterUrl: 'http://127.0.0.1:9' }],
    ['a URL of 10,000 characters', { voterId: 'x', voterUrl: `http://127.0.0.1:9/${'x'.repeat(10_000)}` }],
    ['a URL with a password', { voterId: 'x', voterUrl: 'http://a:b@127.0.0.1:9' }],
    ['a URL of a file', { voterId: 'x', voterUrl: 'file:///etc/passwd' }],
  ])('is refused with %s', async (_name, body) => {
    const first = await start({ id: 'a' });
    const { status, text } = await post(first, '/register', body);
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(500);
    expect(first.voters).toHaveLength(1);
  });
});

describe('voters under ever new names', () => {
  it('are forgotten, and the others keep their leader', async () => {
    const all = await openThree();
    const [first] = all as [Member];
    const { term } = viewOf(first);
    for (let i = 0; i < 300; i += 10) {
      const some = Array.from({ length: 10 }, (_, n) => ({
        voterId: `x${i + n}`,
        voterUrl: `http://127.0.0.1:${20_000 + i + n}`,
      }));
      for (const { status } of await Promise.all(some.map((body) => post(first, '/register', body))))
        expect([200, 403, 429]).toContain(status); // Full, or too fast.
    }
    expect(first.voters.length).toBeLessThanOrEqual(103);
    await until(all, () => all.every((member) => viewOf(member).members?.join() === 'a,b,c'));
    await agree(all);
    expect(viewOf(first).term).toBeGreaterThanOrEqual(term!);
  });

  it('leave a bounded memory of those that cannot be reached', () => {
    const told: string[] = [];
    const unreachable = new Unreachable((message) => told.push(message));
    const fail = (id: string): void => {
      for (let i = 0; i < 3; i++) unreachable.failed({ id, url: 'http://x' }, 'ECONNREFUSED');
    };
    fail('first');
    fail('first');
    expect(told).toHaveLength(1);
    for (let i = 0; i < 1000; i++) fail(`x${i}`);
    fail('first');
    expect(told.filter((line) => line.includes('first'))).toHaveLength(2);
  });
});

describe('a voter that was removed', () => {
  it('registers no other, and the others say so once', async () => {
    const all = await openThree();
    const [first, second, third] = all as [Member, Member, Member];
    expect((await post(first, '/remove', { voterId: 'c' })).status).toBe(200);
    await until([third], () => viewOf(third).role === 'none');
    await until([first, second], () => [first, second].every((m) => viewOf(m).members?.join() === 'a,b'));
    const asked = await post(third, '/register', { voterId: 'a', voterUrl: first.url });
    expect(asked).toMatchObject({ status: 409, text: expect.stringContaining('c takes no part') });
    // Its place is tried now and then: some heartbeats pass.
    await new Promise((resolve) => setTimeout(resolve, 40 * draw.timing.heartbeatMs));
    const about = logs.get(second)!.filter((line) => /does not|is refused/.test(line));
    expect(new Set(about).size).toBe(about.length);
    expect(viewOf(first).members).toEqual(['a', 'b']);
  });
});

describe('a process that the others refuse', () => {
  it('does not answer as a voter', async () => {
    const ports = await freePorts(3);
    const peers = ports.map((port, i) => ({ id: i + 1, url: `http://127.0.0.1:${port}` }));
    const good = [await start({ id: 1, peers }), await start({ id: 2, peers })];
    await agree(good);
    const odd = await start({ id: 3, peers, timing: { ...draw.timing, timeoutMs: [501, 502] } });
    await until([odd], () => odd.electionPort('main').history.at(-1)?.cause === 'refused');
    const { offline } = (await (await fetch(`${odd.url}/status`)).json()) as { offline?: unknown };
    expect(offline).toBeUndefined();
    expect((await post(odd, '/register', { voterId: 1, voterUrl: peers[0]!.url })).status).toBe(409);
  });
});
