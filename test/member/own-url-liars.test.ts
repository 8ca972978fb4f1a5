/** A liar at an address of the seed does not make a voter announce that address as its own, whatever it sees and copies. */
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { listen } from '../../src/api/index.ts';
import type { AnyJoinOptions, Member } from '../../src/member/index.ts';
import { OwnUrl } from '../../src/member/own-url.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { authorities, cleanUp, start } from '../support/tls-bed.ts';

const draw = { protocol: 'draw', timing: { heartbeatMs: 50, timeoutMs: [50, 100] } } as const;
const SECRET = 'the-secret-of-a-test-of-liars';

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface Asked {
  readonly request: IncomingMessage;
  /** What its victim answers to the same request under this name, with these headers. */
  askVictim(headers: http.OutgoingHttpHeaders): Promise<{ headers: http.IncomingHttpHeaders; body: Buffer }>;
}

/** What a liar answers. Everything that is not said here is as its victim would answer it. */
type Lie = (asked: Asked) => Promise<http.OutgoingHttpHeaders> | http.OutgoingHttpHeaders;

/** The headers that the victim may treat specially; all others belong to the connection. */
function special(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('caucus-') || name === 'authorization'),
  );
}

const answerOf = (headers: http.OutgoingHttpHeaders): http.OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('question', 'answer'), value]),
  );

let earlier: http.OutgoingHttpHeaders = {};

const LIES: Readonly<Record<string, Lie>> = {
  'copies the answers of its victim': async ({ askVictim }) => special((await askVictim({})).headers),
  'sends back what it was asked': ({ request }) => ({
    ...special(request.headers),
    ...answerOf(special(request.headers)),
  }),
  // The victim has forgotten that question.
  'asks its victim what it was asked the last time': async ({ request, askVictim }) => {
    const last = earlier;
    const now = special(request.headers);
    if (Object.keys(now).length > 0) earlier = now;
    return special((await askVictim(last)).headers);
  },
  'asks its victim questions of its own': async ({ askVictim }) => {
    const own = Buffer.alloc(32, 7).toString('base64url');
    const { headers } = await askVictim({ 'caucus-own-question': own });
    return special(headers);
  },
};

/** Answers at its address as it lies, with the status of its victim, which it fetches each time. */
async function startLiar(
  lie: Lie,
  victim: () => string,
  certificate: Certificate | null = null,
): Promise<{ readonly host: string; readonly url: string; readonly asked: () => number }> {
  let asked = 0;
  const { get } = certificate === null ? http : https;
  const onRequest: RequestListener = async (request, response) => {
    const askVictim: Asked['askVictim'] = (headers) =>
      new Promise((resolve, reject) => {
        const options = { method: request.method, headers, agent: false, rejectUnauthorized: false };
        get(`${victim()}${request.url}`, options, async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk as Buffer);
          resolve({ headers: answer.headers, body: Buffer.concat(chunks) });
        }).once('error', reject);
      });
    try {
      const { body } = await askVictim({});
      response.writeHead(200, await lie({ request, askVictim })).end(body);
      if (!request.url!.endsWith('/register')) asked += 1;
    } catch {
      response.destroy(); // Its victim was closed at the end of the test.
    }
  };
  const server =
    certificate === null ? http.createServer(onRequest) : https.createServer(certificate, onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `${certificate === null ? 'http' : 'https'}://${host}`, asked: () => asked };
}

const MEANS = {
  'no secret': async (): Promise<[Partial<AnyJoinOptions>, Certificate | null]> => [{}, null],
  'a secret': async () => [{ secret: SECRET }, null],
  'a token for readers': async () => [
    { closed: true, tokens: [{ name: 'bob', roles: ['read'], token: 'token-of-bob-who-only-reads' }] },
    null,
  ],
  // It even has the key of its victim.
  certificates: async () => {
    const { ca } = authorities();
    return [{ tls: await ca.member('a') }, await ca.issue('a')];
  },
} satisfies Record<string, () => Promise<[Partial<AnyJoinOptions>, Certificate | null]>>;

describe.each(Object.keys(MEANS) as (keyof typeof MEANS)[])('with %s', (means) => {
  it.each(Object.keys(LIES))('a liar that %s is not believed', async (name) => {
    earlier = {};
    const [options, certificate] = (await MEANS[means]()) as [Partial<AnyJoinOptions>, Certificate | null];
    const [port] = await freePorts(1);
    const scheme = certificate === null ? 'http' : 'https';
    const own = `${scheme}://127.0.0.2:${port}`;
    const liar = await startLiar(LIES[name]!, () => own, certificate);
    const seed = { host: liar.host, url: '/' };
    const { member } = await start({
      ...draw,
      id: 'a',
      listen: { host: '127.0.0.2', port: port! },
      seed,
      ...options,
    });
    // By the third time, what it said the first and the second time has been judged.
    await until('it is asked', () => liar.asked() > 2 || member.url === liar.url);
    expect(member.url).toBe(own);
    expect(member.voters.map(({ url }) => url)).not.toContain(liar.url);
  });

  it('a voter finds the address that passes connections on to it', async () => {
    const [options, certificate] = (await MEANS[means]()) as [Partial<AnyJoinOptions>, Certificate | null];
    const [port] = await freePorts(1);
    const scheme = certificate === null ? 'http' : 'https';
    const proxy = await startTcpProxy(`http://127.0.0.2:${port}`);
    cleanUp(() => proxy.close());
    const seed = { host: new URL(proxy.url).host, url: '/' };
    const { member } = await start({
      ...draw,
      id: 'a',
      listen: { host: '127.0.0.2', port: port! },
      seed,
      ...options,
    });
    await until('it has found it', () => member.url === `${scheme}://${seed.host}`);
  });
});

describe('the URLs of a seed', () => {
  async function passingOn(count: number, target: Member['url']): Promise<string[]> {
    const proxies = await Promise.all(Array.from({ length: count }, () => startTcpProxy(target)));
    for (const proxy of proxies) cleanUp(() => proxy.close());
    return proxies.map(({ url }) => url);
  }

  const seed = { host: 'voters', url: '/', scheme: 'http', listensBy: 'options' } as const;
  const told = { id: 'a', url: null, seed, tls: null, log: () => {} };

  it('give the same own address in whatever order they come, if several pass connections on', async () => {
    const [port] = await freePorts(1);
    const urls = (await passingOn(2, `http://127.0.0.1:${port}`)).sort();
    for (const candidates of [urls, [...urls].reverse()]) {
      const server = await listen('127.0.0.1', port!, 100, (_request, response) => void response.end());
      const own = new OwnUrl(told, server);
      await own.find(candidates, AbortSignal.timeout(10_000));
      expect(own.url).toBe(urls[0]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('give an address of the loopback only if no other can be reached', async ({ skip }) => {
    const outer = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outer === undefined) return skip('this machine has only the loopback');
    const server = await listen('0.0.0.0', 0, 100, (_request, response) => void response.end());
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(0, '0.0.0.0', resolve));
    for (const each of [server, other]) cleanUp(() => new Promise((resolve) => each.close(resolve)));
    const [{ port }, { port: otherPort }] = [server, other].map((each) => each.address() as AddressInfo) as [
      AddressInfo,
      AddressInfo,
    ];
    const own = new OwnUrl(told, server);
    const urls = [`http://127.0.0.1:${otherPort}`, `http://${outer.address}:${otherPort}`];
    await own.find(urls, AbortSignal.timeout(10_000));
    expect(own.url).toBe(`http://${outer.address}:${port}`);
  });
});
