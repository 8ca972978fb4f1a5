/** Roles and tokens at the API of a real member: the operator's rows of the threat table, each with and without tokens. */
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { TokenOption } from '../../src/auth/index.ts';
import { standFor } from '../../src/cli/commands/node/standing.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';

const ALICE = 'token-of-alice-who-operates';
const BOB = 'token-of-bob-who-only-reads';
const NEXT = 'next-token-of-alice-rotated';
const TOKENS: readonly TokenOption[] = [
  { name: 'alice', roles: ['operate'], token: ALICE },
  { name: 'bob', roles: ['read'], token: BOB },
];

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was answered.
type Printed = any;
const json = async (response: Response): Promise<Printed> => response.json();

let member: Member;
let logged: string[];
let ending: AbortController;
afterEach(async () => {
  ending.abort();
  await member.close();
});

async function leader(options: AnyJoinOptions = {}): Promise<Member> {
  logged = [];
  ending = new AbortController();
  member = await join({
    id: 'a',
    protocol: 'bully',
    log: ({ message }) => logged.push(message),
    ...options,
  });
  void standFor(member.election(), ending.signal);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (member.electionPort('main').acting) resolve();
    };
    member.electionPort('main').subscribe(look);
    look();
  });
  return member;
}

interface Asked {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

async function ask(
  method: string,
  path: string,
  { token, body, headers = {} }: Asked = {},
): Promise<Response> {
  return fetch(`${member.url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const codeOf = async (response: Response): Promise<string> => ((await response.json()) as Printed).error.code;

/** Each command of an operator, as any process of the machine or the network would send it. */
const COMMANDS: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/resign', {}],
  ['POST', '/transfer', { to: 'a' }],
  ['POST', '/switchover', { candidate: 'a', leader: 'a' }],
  ['PUT', '/value', { value: 'evil' }],
  ['POST', '/remove', { voterId: 'a' }],
  ['POST', '/members/add', { voterId: 'x', voterUrl: 'http://127.0.0.1:1' }],
  ['POST', '/members/remove', { voterId: 'a', force: true }],
  ['POST', '/members/replace', { voterId: 'a', by: 'x', voterUrl: 'http://127.0.0.1:1' }],
  ['POST', '/drain', {}],
  ['POST', '/pause', {}],
  ['POST', '/resume', {}],
  ['POST', '/reconfigure', { timing: 'wan' }],
  ['POST', '/election/start', {}],
  ['POST', '/elections/main/resign', {}],
  ['POST', '/resign?election=main', {}],
];

describe('commands', () => {
  it.each(COMMANDS)('%s %s is open on the loopback without tokens', async (method, path, body) => {
    await leader();
    // Whether it is carried out depends on the election; it is not refused for want of a token.
    expect([200, 409, 412, 503]).toContain((await ask(method, path, { body })).status);
  });

  it.each(COMMANDS)(
    '%s %s needs a token once there is one, and changes nothing without',
    async (method, path, body) => {
      await leader({ tokens: TOKENS });
      const before = await json(await ask('GET', '/status'));
      const missing = await ask(method, path, { body });
      expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="caucus", scope="operate"');
      expect([missing.status, await codeOf(missing)]).toEqual([401, 'E_TOKEN_NEEDED']);
      const wrong = await ask(method, path, { body, token: `${ALICE}x` });
      expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect([wrong.status, await codeOf(wrong)]).toEqual([401, 'E_TOKEN']);
      const reader = await ask(method, path, { body, token: BOB });
      expect([reader.status, await codeOf(reader)]).toEqual([403, 'E_ROLE']);
      const basic = await ask(method, path, {
        body,
        headers: { authorization: `Basic ${btoa(`alice:${ALICE}`)}` },
      });
      expect(basic.status).toBe(401);
      // A body with a sender is a message, which opens no other way to the command.
      const { expiresInMs: _, nowMs: __, ...same } = before;
      expect(await json(await ask('GET', '/status'))).toMatchObject(same);
      expect((await json(await ask('GET', '/history'))).acts).toEqual([]);
      expect([200, 409, 412, 503]).toContain((await ask(method, path, { body, token: ALICE })).status);
    },
  );

  it('share their paths with messages: the body says which it is, if there is no token', async () => {
    logged = [];
    ending = new AbortController();
    member = await join({ id: 'a', tokens: TOKENS, log: ({ message }) => logged.push(message) });
    const command = await ask('POST', '/resign', { body: {} });
    expect([command.status, await codeOf(command)]).toEqual([401, 'E_TOKEN_NEEDED']);
    const message = await ask('POST', '/resign', { body: { voterId: 'stranger', term: 1 } });
    expect([message.status, await codeOf(message)]).toEqual([403, 'E_UNKNOWN_MEMBER']);
    expect((await ask('POST', '/resign', { body: {}, token: BOB })).status).toBe(403);
    expect((await ask('POST', '/resign', { body: {}, token: ALICE })).status).toBe(409);
  });

  it('are closed beyond the loopback without tokens, unless that is accepted', async () => {
    await leader({ listen: { host: '0.0.0.0', port: 0 }, insecure: true });
    const { port } = new URL(member.url);
    const here = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/value`, {
        method: 'PUT',
        body: '{"value":1}',
        headers: { 'content-type': 'application/json' },
      });
    expect((await here()).status).toBe(200);
    ending.abort();
    await member.close();
    await leader({ listen: { host: '0.0.0.0', port: 0 }, insecure: true, tokens: TOKENS });
    const again = `http://127.0.0.1:${new URL(member.url).port}/value`;
    expect((await fetch(again, { method: 'PUT' })).status).toBe(401);
  });

  it('replace a token without a restart: both are valid for a while, then the new one only', async () => {
    await leader({ tokens: TOKENS });
    const led = member.electionPort('main').token;
    const put = async (token: string): Promise<number> =>
      (await ask('PUT', '/value', { token, body: { value: 1 } })).status;
    expect([await put(ALICE), await put(NEXT)]).toEqual([200, 401]);
    const next = { name: 'alice', roles: ['operate'], token: NEXT } as const;
    member.setTokens([...TOKENS, next]);
    expect([await put(ALICE), await put(NEXT)]).toEqual([200, 200]);
    member.setTokens([next]);
    expect([await put(ALICE), await put(NEXT)]).toEqual([401, 200]);
    expect(() => member.setTokens([{ name: 'x', roles: ['operate'], token: 'short' }])).toThrow(
      /found a text of 5/,
    );
    expect(await put(NEXT)).toBe(200);
    expect(member.electionPort('main').token).toBe(led);
  });

  it('are written into the log and the history, with the name of the token and the address', async () => {
    await leader({ tokens: TOKENS });
    await ask('PUT', '/value', { token: ALICE, body: { value: 'secret-content' } });
    await ask('POST', '/transfer', { token: ALICE, body: { to: 'nobody' } });
    const { acts } = await json(await ask('GET', '/history'));
    expect(acts).toMatchObject([
      { by: 'alice', from: '127.0.0.1', what: 'publish', outcome: 'done', electionName: 'main' },
      {
        by: 'alice',
        from: '127.0.0.1',
        what: 'transfer to nobody',
        outcome: expect.stringMatching(/^failed: /),
      },
    ]);
    expect(logged).toContain('operator alice at 127.0.0.1: publish: done');
    expect(logged.join('\n')).not.toContain('secret-content');
  });

  it('are written down without a name where no token is needed', async () => {
    await leader();
    await ask('PUT', '/value', { body: { value: 1 } });
    expect(logged).toContain('operator (no token) at 127.0.0.1: publish: done');
  });
});

describe('a refusal', () => {
  it('comes before the body is read', async () => {
    await leader({ tokens: TOKENS });
    const socket = net.connect(Number(new URL(member.url).port), '127.0.0.1');
    // The body is never sent.
    socket.write(
      'PUT /value HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 200000\r\n\r\n',
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  });

  it('is told of once a second, however often it happens, and limits wrong tokens', async () => {
    await leader({ tokens: TOKENS });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
    const startMs = performance.now();
    const statuses = await Promise.all(
      Array.from(
        { length: 200 },
        () =>
          new Promise<number>((resolve, reject) => {
            const headers = { authorization: 'Bearer wrong-token-wrong-token' };
            http
              .request(`${member.url}/resign`, { method: 'POST', agent, headers }, (response) => {
                response.resume();
                resolve(response.statusCode!);
              })
              .on('error', reject)
              .end();
          }),
      ),
    );
    agent.destroy();
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const told = logged.filter((line) => line.includes('is refused'));
    expect(told[0]).toBe('POST /resign from 127.0.0.1 is refused: its token is not known here');
    expect(told.length).toBeLessThanOrEqual(3 + (performance.now() - startMs) / 1000);
    expect(logged.join('\n')).not.toContain('wrong-token');
    expect(member.refusals.unauthorized).toBe(200);
    // The right token is not locked out by another user of the same address.
    expect((await ask('PUT', '/value', { token: ALICE, body: { value: 2 } })).status).toBe(200);
  });

  it.each(['token', 'access_token', 'api_token'])('meets a token in the URL: ?%s=', async (name) => {
    await leader({ tokens: TOKENS });
    for (const [method, path] of [
      ['POST', '/resign'],
      ['GET', '/status'],
    ] as const) {
      const answer = await ask(method, `${path}?${name}=${ALICE}`);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text).error.code]).toEqual([400, 'E_TOKEN_IN_URL']);
      expect(text).not.toContain(ALICE);
    }
    expect(logged.join('\n')).not.toContain(ALICE);
    expect(member.electionPort('main').acting).toBe(true);
  });

  it('of a foreign page and of a foreign host name stays what it was, with a token too', async () => {
    await leader({ tokens: TOKENS });
    const foreign = await ask('POST', '/resign', {
      token: ALICE,
      headers: { origin: 'http://evil.example' },
    });
    expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'E_ORIGIN']);
    const rebound = await new Promise<http.IncomingMessage>((resolve) =>
      http.get(
        `${member.url}/status`,
        { headers: { host: 'evil.example', authorization: `Bearer ${ALICE}` } },
        resolve,
      ),
    );
    rebound.resume();
    expect(rebound.statusCode).toBe(403);
    const text = await ask('POST', '/resign', {
      token: ALICE,
      headers: { 'content-type': 'text/plain' },
      body: {},
    });
    expect(text.status).toBe(415);
  });
});

describe('a closed member', () => {
  it('tells nothing without a token, but answers health checks with their status alone', async () => {
    await leader({ tokens: TOKENS, closed: true });
    for (const path of [
      '/',
      '/status',
      '/cluster',
      '/history',
      '/value',
      '/elections',
      '/changes',
      '/metrics',
      '/diagnosis',
      '/openapi.json',
      '/watch',
      '/elections/main/status',
    ]) {
      expect([path, (await ask('GET', path)).status]).toEqual([path, 401]);
      expect([path, (await ask('HEAD', path)).status]).toEqual([path, 401]);
      if (path === '/watch') continue;
      for (const token of [ALICE, BOB])
        expect([path, (await ask('GET', path, { token })).status]).toEqual([path, 200]);
    }
    for (const path of [
      '/leader',
      '/primary',
      '/health',
      '/liveness',
      '/readiness',
      '/elections/main/leader',
    ]) {
      const answer = await ask('GET', path);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, '']);
      expect((await ask('OPTIONS', path)).status).toBe(200);
    }
    expect((await ask('GET', '/replica')).status).toBe(503);
    expect((await json(await ask('GET', '/leader', { token: BOB }))).leader).toBe('a');
    const about = await json(await ask('GET', '/ui/about.json'));
    expect(about).toEqual({ mode: 'member', chaos: false, api: '../', tokens: ['read', 'operate'] });
  });

  it('needs a token that may read', async () => {
    await expect(join({ id: 'a', closed: true })).rejects.toThrow(
      'tokens: expected a token that may read, since the member is closed, found none',
    );
    await leader({ tokens: TOKENS, closed: true });
    expect(() => member.setTokens([])).toThrow('tokens: expected a token that may read');
  });
});

describe('the description', () => {
  it('says what each path of this member needs', async () => {
    // It need not lead for this.
    ending = new AbortController();
    member = await join({ id: 'a', tokens: TOKENS });
    const { paths, components } = await json(await ask('GET', '/openapi.json'));
    expect(Object.keys(components.securitySchemes)).toEqual(['read', 'operate', 'voter']);
    expect(paths['/leader'].get.security).toEqual([]);
    expect(paths['/status'].get.security).toEqual([{}, { read: [] }]);
    expect(paths['/value'].put.security).toEqual([{ operate: [] }]);
    expect(paths['/publish/copy'].post.security).toEqual([{}, { voter: [] }]);
    expect(Object.keys(paths['/value'].put.responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
  });
});
