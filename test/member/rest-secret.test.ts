/**
 * REST voters and a secret: a voter that was written from the documentation takes part, and no other process can speak for one, by
 * whatever it has heard.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { until } from '../support/linked.ts';
import { RestVoter } from '../support/rest-voter.ts';
import { RestVoterProof } from '../support/rest-voter-proof.ts';

const OLD = 'the-old-secret-of-a-test';
const NEW = 'the-new-secret-of-a-test';
const TIMING = { heartbeatMs: 100, timeoutMs: [100, 200] };

const running: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()));
});

interface Started {
  readonly member: Member;
  readonly logged: string[];
}

async function start(id: string, options: AnyJoinOptions = {}): Promise<Started> {
  const logged: string[] = [];
  const member = await join({
    id,
    protocol: 'draw',
    timing: TIMING,
    secret: OLD,
    log: ({ message }) => logged.push(message),
    ...options,
  });
  running.push(() => member.close());
  return { member, logged };
}

async function startVoter(id: string, seed: Member, text = OLD): Promise<RestVoter> {
  const secret = { cluster: 'caucus', text };
  const voter = new RestVoter({ id, seed: seed.url, heartbeatMs: TIMING.heartbeatMs, secret });
  running.push(() => voter.close());
  await voter.start();
  return voter;
}

const known = ({ member }: Started): string[] => member.voters.map(({ id }) => String(id)).sort();
const leaderOf = ({ member }: Started): unknown => member.electionPort('main').view.leader;

/** Stands between a voter and a member, and keeps what the voter has sent. */
async function startSniffer(
  target: string,
): Promise<{ url: string; kept: Kept[]; spoil: (body: string) => string }> {
  const kept: Kept[] = [];
  const sniffer = { url: '', kept, spoil: (body: string): string => body };
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    kept.push({ method: request.method!, path: request.url!, body, authorization });
    const answer = await send(target, kept.at(-1)!);
    const text = await answer.text();
    response.writeHead(answer.status, {
      'www-authenticate': answer.headers.get('www-authenticate') ?? '',
      'authentication-info': answer.headers.get('authentication-info') ?? '',
    });
    response.end(sniffer.spoil(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  sniffer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return sniffer;
}

/** A voter that proves what it answers, if it likes to. Returns its URL. */
async function startReceiver(
  id: string,
  answer: (proof: RestVoterProof, request: Kept, response: http.ServerResponse) => unknown,
): Promise<string> {
  const proof = new RestVoterProof(id, 'caucus', OLD);
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization } = request.headers;
    answer(proof, { method: request.method!, path: request.url!, body, authorization }, response);
  });
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Kept {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization?: string | undefined;
}

function send(target: string, { method, path, body, authorization }: Kept): Promise<Response> {
  return fetch(`${target}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    ...(method === 'GET' ? {} : { body }),
  });
}

const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`;

describe('a REST voter that was written from the documentation', () => {
  it('registers, votes and follows, and members call it', async () => {
    const one = await start('a');
    const two = await start('b', { peers: [{ id: 'a', url: one.member.url }] });
    const voter = await startVoter('rest', one.member);
    await until('known', () => known(one).includes('rest') && voter.knownVoters.length === 3);
    let before: number;
    do {
      before = voter.term;
      await fetch(`${one.member.url}/election/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      await until('elected', () => voter.term > before && voter.leader !== null);
    } while (!voter.castIn.includes(voter.term));
    await until('all follow', () => leaderOf(one) === voter.leader && leaderOf(two) === voter.leader);
    expect(one.member.links.find(({ id }) => id === 'rest')?.via).toBe('post');
    expect([...one.logged, ...two.logged].filter((line) => line.includes('secret'))).toEqual([]);
  });

  it('registers with a closed member, which shows its status to no other client', async () => {
    const tokens = [{ name: 'bob', roles: ['read'] as const, token: 'token-of-bob-who-only-reads' }];
    const one = await start('a', { closed: true, tokens });
    const voter = await startVoter('rest', one.member);
    await until('known', () => known(one).includes('rest') && voter.knownVoters.length === 2);
    expect((await fetch(`${one.member.url}/status`)).status).toBe(401);
    const proof = new RestVoterProof('rest', 'caucus', OLD);
    expect((await proof.fetch(one.member.url, '/status', 'GET', ''))?.status).toBe(200);
    const other = new RestVoterProof('rest', 'caucus', NEW);
    expect(await other.fetch(one.member.url, '/status', 'GET', '')).toBeNull();
  });

  it('with another secret is refused, and the member says so', async () => {
    const one = await start('a');
    await expect(startVoter('rest', one.member, NEW)).rejects.toThrow('does not answer');
    expect(known(one)).toEqual(['a']);
    expect(one.logged.filter((line) => line.includes('its proof does not fit the secret'))).toHaveLength(1);
    expect(one.member.refusals.unauthorized).toBeGreaterThan(0);
  });
});

describe('a process without the secret', () => {
  const body = JSON.stringify({ voterId: 'x', voterUrl: 'http://127.0.0.1:9' });

  it('registers and sends nothing; without a secret it could', async () => {
    const one = await start('a');
    for (const path of ['/register', '/heartbeat', '/election/cast', '/election/start'])
      expect(await codeOf(await send(one.member.url, { method: 'POST', path, body }))).toBe(
        '401 E_PROOF_NEEDED',
      );
    expect(known(one)).toEqual(['a']);
    const open = await start('a', { secret: undefined });
    expect((await send(open.member.url, { method: 'POST', path: '/register', body })).status).toBe(200);
    expect(known(open)).toEqual(['a', 'x']);
  });

  it('reads in the description of the API that it needs a proof', async () => {
    const one = await start('a');
    const { paths } = (await (await fetch(`${one.member.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: unknown }>>;
    };
    for (const path of ['/register', '/heartbeat', '/election/cast'])
      expect(paths[path]!.post!.security).toEqual([{ voter: [] }]);
    expect(paths['/status']!.get!.security).toEqual([{}, { read: [] }]);
  });

  it('is told at most once a second', async () => {
    const one = await start('a');
    const startMs = performance.now();
    for (let i = 0; i < 100; i++) await send(one.member.url, { method: 'POST', path: '/heartbeat', body });
    const seconds = (performance.now() - startMs) / 1000;
    const lines = one.logged.filter((line) => line.includes('carries no proof of a voter'));
    expect(lines.length).toBeLessThanOrEqual(2 + seconds);
    expect(one.member.refusals.unauthorized).toBe(100);
  });

  it('cannot replay what it heard: not to the member, not to another, not after a restart', async () => {
    const one = await start('a');
    const other = await start('b');
    const sniffer = await startSniffer(one.member.url);
    const proof = new RestVoterProof('rest', 'caucus', OLD);
    const registration = JSON.stringify({ voterId: 'rest', voterUrl: 'http://127.0.0.1:9' });
    const answer = await proof.fetch(sniffer.url, '/register', 'POST', registration);
    expect(answer?.status).toBe(200);
    const heard = sniffer.kept.at(-1)!;
    expect(await codeOf(await send(one.member.url, heard))).toBe('401 E_PROOF_OLD');
    expect(await codeOf(await send(other.member.url, heard))).toBe('401 E_PROOF_BOOT');
    expect(known(other)).toEqual(['b']);
    const { port } = new URL(one.member.url);
    await one.member.close();
    const again = await start('a', { listen: { port: Number(port) } });
    expect(await codeOf(await send(again.member.url, heard))).toBe('401 E_PROOF_BOOT');
    expect(known(again)).toEqual(['a']);
  });

  it('cannot change what it heard', async () => {
    const one = await start('a');
    const sniffer = await startSniffer(one.member.url);
    const proof = new RestVoterProof('rest', 'caucus', OLD);
    // The first request learns the boot; the member never sees the second one.
    await fetch(`${one.member.url}/register`, { method: 'POST' });
    const registration = JSON.stringify({ voterId: 'rest', voterUrl: 'http://127.0.0.1:9' });
    await proof.fetch(sniffer.url, '/register', 'POST', registration);
    const heard = sniffer.kept.at(-1)!;
    const { authorization = '' } = heard;
    const counter = /counter=(\d+)/.exec(authorization)![1]!;
    const next = authorization.replace(counter, String(Number(counter) + 1));
    for (const changed of [
      { ...heard, authorization: next },
      { ...heard, body: registration.replace(':9"', ':8"') },
      { ...heard, path: '/heartbeat' },
      { ...heard, path: '/register?x=1' },
      { ...heard, authorization: authorization.replace('from=rest', 'from=other') },
    ])
      expect(await codeOf(await send(one.member.url, changed))).toBe('401 E_PROOF');
    const method = await send(one.member.url, { ...heard, method: 'PUT' });
    expect(method.status).toBe(405);
  });

  it('cannot answer for a voter', async () => {
    const one = await start('a');
    const sniffer = await startSniffer(one.member.url);
    sniffer.spoil = (text) => text.replace('"role"', '"rule"');
    const proof = new RestVoterProof('rest', 'caucus', OLD);
    expect(await proof.fetch(sniffer.url, '/status', 'GET', '')).toBeNull();
    sniffer.spoil = (text) => text;
    expect((await proof.fetch(sniffer.url, '/status', 'GET', ''))?.status).toBe(200);
  });
});

describe('a process that has the secret', () => {
  const registration = JSON.stringify({ voterId: 'rest', voterUrl: 'http://127.0.0.1:9' });
  const register = async (proof: RestVoterProof, url: string): Promise<number | undefined> =>
    (await proof.fetch(url, '/register', 'POST', registration))?.status;

  it('cannot use up the counter of a voter', async () => {
    const one = await start('a');
    const sniffer = await startSniffer(one.member.url);
    const honest = new RestVoterProof('rest', 'caucus', OLD);
    expect(await register(honest, one.member.url)).toBe(200);
    // Its first request asks for the boot, the second has the largest counter, and the third is above that of the voter.
    const other = new RestVoterProof('rest', 'caucus', OLD, Number.MAX_SAFE_INTEGER - 2);
    expect(await register(other, sniffer.url)).toBe(200);
    const largest = sniffer.kept[1]!;
    expect(largest.authorization).toContain('counter=9007199254740991,');
    expect(await codeOf(await send(one.member.url, largest))).toBe('401 E_PROOF_AHEAD');
    expect(await register(honest, one.member.url)).toBe(200);
  });

  it('cannot shut a voter out with the largest counter that is accepted', async () => {
    const one = await start('a');
    const aMinuteUs = 60e6;
    const other = new RestVoterProof('rest', 'caucus', OLD, Date.now() * 1000 + 3e15 - aMinuteUs);
    expect(await register(other, one.member.url)).toBe(200);
    const honest = new RestVoterProof('rest', 'caucus', OLD);
    for (let i = 0; i < 3; i++) expect(await register(honest, one.member.url)).toBe(200);
  });

  it('leaves nothing behind when its secret is taken out', async () => {
    const one = await start('a');
    const other = new RestVoterProof('rest', 'caucus', OLD, Date.now() * 1000 + 2e15);
    expect(await register(other, one.member.url)).toBe(200);
    const bootOf = async (): Promise<string | null> =>
      (await fetch(`${one.member.url}/register`, { method: 'POST' })).headers.get('www-authenticate');
    const before = await bootOf();
    one.member.setSecret([NEW, OLD]);
    expect(await bootOf()).toBe(before);
    one.member.setSecret(NEW);
    expect(await bootOf()).not.toBe(before);
    const sniffer = await startSniffer(one.member.url);
    expect(await register(new RestVoterProof('rest', 'caucus', NEW), sniffer.url)).toBe(200);
    // One request to learn the boot, and one that is accepted: no counter had to be learned.
    expect(sniffer.kept).toHaveLength(2);
  });

  it('cannot use up the counters of a member by its answers', async () => {
    const lies: string[] = [];
    const liar = await startReceiver('b', (proof, request, response) => {
      const entry = proof.check(request.authorization, request.method, request.path, request.body);
      if ('challenge' in entry) return response.writeHead(401, { 'www-authenticate': entry.challenge }).end();
      const boot = /boot=([^,]+)/.exec(request.authorization!)![1];
      const challenge = `Caucus id=b, boot=${boot}, counter=${Number.MAX_SAFE_INTEGER}`;
      lies.push(challenge);
      response.writeHead(401, { 'www-authenticate': challenge, 'authentication-info': entry.sign(401, '') });
      return response.end();
    });
    const heard: { readonly counter: number; readonly lies: number }[] = [];
    const honest = await startReceiver('c', (proof, request, response) => {
      const entry = proof.check(request.authorization, request.method, request.path, request.body);
      if ('challenge' in entry) return response.writeHead(401, { 'www-authenticate': entry.challenge }).end();
      heard.push({ counter: Number(/counter=(\d+)/.exec(request.authorization!)![1]), lies: lies.length });
      return response.writeHead(204, { 'authentication-info': entry.sign(204, '') }).end();
    });
    const peers = [
      { id: 'b', url: liar },
      { id: 'c', url: honest },
    ];
    const one = await start('a', { peers });
    await until('heard after lies', () => heard.some((each) => each.lies > 1));
    const last = heard.at(-1)!;
    expect(last.counter).toBeLessThan(Date.now() * 1000 + 60e6);
    expect(one.member.refusals['wrong-secret']).toBe(0);
    expect(one.logged.filter((line) => line.includes('secret'))).toEqual([]);
  });
});

describe('a member', () => {
  it('takes no answer from a voter that proves nothing, and says what to do', async () => {
    const server = http.createServer((request, response) => {
      if (request.url === '/link') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"voterId":"x","term":7}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    running.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const one = await start('a', { peers: [{ id: 'x', url }] });
    await until('told', () => one.member.refusals.unauthenticated > 0);
    expect(one.logged.find((line) => line.includes('its answers carry no proof'))).toMatch(
      /^\S+ is refused: its answers carry no proof; give all members the same secret/,
    );
    expect(one.member.electionPort('main').view.term ?? 0).toBeLessThan(7);
  });

  it('without a secret says what a voter with one asks for', async () => {
    const one = await start('a');
    const two = await start('b', { secret: undefined, peers: [{ id: 'a', url: one.member.url }] });
    await until('told', () => two.logged.some((line) => line.includes('secret')));
    expect(two.logged.join('\n')).toMatch(/give all members the same secret \(secretFile, --secret-file\)/);
  });

  it('and a voter find the secret that both have', async () => {
    const one = await start('a', { secret: [NEW, OLD] });
    const voter = await startVoter('rest', one.member, OLD);
    await until('known', () => known(one).includes('rest') && voter.knownVoters.length === 2);
    // The member calls the voter with the new one first, and then with the old one.
    await until('heard', () => (one.member.links.find(({ id }) => id === 'rest')?.sent ?? 0) > 2);
    expect(one.member.refusals['wrong-secret']).toBe(0);
  });
});
