/** Voters that are told a seed and a relative URL, on addresses of the loopback: which one is their own? */
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyJoinOptions, join, type LogEntry, type Member } from '../../src/member/index.ts';
import { readOptions } from '../../src/member/options.ts';
import { ownAmong } from '../../src/member/own-url.ts';
import { findPlace } from '../../src/member/place.ts';
import { seedUrls } from '../../src/member/seeds.ts';
import { freePorts } from '../support/free-ports.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const draw = { protocol: 'draw', timing: { heartbeatMs: 50, timeoutMs: [50, 100] } } as const;

async function start(options: AnyJoinOptions): Promise<Member> {
  const member = await join({ ...draw, ...options });
  closers.push(() => member.close());
  return member;
}

async function onePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

describe('a relative URL', () => {
  it.each([
    { name: '/', host: (port: number) => `127.0.0.2:${port}`, url: () => '/', path: '' },
    { name: '/voter', host: (port: number) => `127.0.0.2:${port}`, url: () => '/voter', path: '/voter' },
    { name: ':7100', host: () => '127.0.0.2', url: (port: number) => `:${port}`, path: '' },
    {
      name: ':7100/voter/',
      host: () => '127.0.0.2',
      url: (port: number) => `:${port}/voter/`,
      path: '/voter',
    },
  ])('works as $name: the voters know each other under it', async ({ host, url, path }) => {
    const port = await onePort();
    const seed = { host: host(port), url: url(port) };
    const all = [
      await start({ id: 'a', listen: { host: '127.0.0.2', port }, seed }),
      await start({ id: 'b', listen: { host: '127.0.0.3', port }, seed }),
    ];
    const urls = [`http://127.0.0.2:${port}${path}`, `http://127.0.0.3:${port}${path}`];
    expect(all.map((member) => member.url)).toEqual(urls);
    for (const member of all) {
      await expect.poll(() => member.voters.map((voter) => voter.url).sort()).toEqual(urls);
      await expect.poll(() => member.links.map(({ via }) => via)).toEqual(['link']);
    }
    expect((await fetch(`${urls[0]}/status`)).status).toBe(200);
  });

  it('takes the port that it listens on where neither the seed nor the URL has one', async () => {
    const port = await onePort();
    const member = await start({
      id: 'a',
      listen: { host: '127.0.0.2', port },
      seed: { host: '127.0.0.2', url: '/' },
    });
    expect(member.url).toBe(`http://127.0.0.2:${port}`);
  });

  it.each([
    [
      'two ports',
      { host: 'voters:7100', url: ':7200' },
      /^seed\.url: expected the port of the seed host, 7100/,
    ],
    ['a name', { host: 'voters', url: 'voter' }, /^seed\.url: expected :PORT, \/PATH or :PORT\/PATH/],
    ['a query', { host: 'voters', url: '/a?b' }, /^seed\.url: /],
    ['a port that is none', { host: 'voters', url: ':70000' }, /^seed\.url: /],
    ['a path in the host', { host: 'voters/x', url: '/' }, /^seed\.host: /],
    ['port 0 in the host', { host: 'voters:0', url: '/' }, /^seed\.host: /],
  ])('is refused with %s', async (_name, seed, message) => {
    await expect(readOptions({ ...draw, id: 'a', listen: { port: 0 }, seed })).rejects.toThrow(message);
  });
});

describe('the URLs of a seed', () => {
  it('are those of all its addresses, each once', async () => {
    const resolve = async (): Promise<string[]> => ['192.0.2.1', 'fd00::2', '192.0.2.1'];
    expect(await seedUrls({ host: 'voters:7100', url: '/voter' }, resolve)).toEqual([
      'http://192.0.2.1:7100/voter',
      'http://[fd00::2]:7100/voter',
    ]);
    expect(await seedUrls({ host: 'voters', url: ':7100' }, resolve)).toContain('http://192.0.2.1:7100');
    expect(await seedUrls({ host: '[fd00::1]:7100', url: '/' })).toEqual(['http://[fd00::1]:7100']);
  });

  it('give the same own address in whatever order they come', () => {
    const all = [
      'http://[::1]:7100',
      'http://127.0.0.3:7100',
      'http://192.0.2.9:7100',
      'http://127.0.0.2:7100',
    ];
    const everywhere = { host: '::', port: 7100 };
    for (const urls of [all, [...all].reverse()])
      expect(ownAmong(urls, everywhere)).toBe('http://127.0.0.2:7100');
    expect(ownAmong(all, { host: '127.0.0.3', port: 7100 })).toBe('http://127.0.0.3:7100');
    expect(ownAmong(all, { host: '0.0.0.0', port: 7101 })).toBe(null);
    expect(ownAmong(['http://[::1]:7100'], { host: '0.0.0.0', port: 7100 })).toBe(null);
    expect(ownAmong(['http://[::1]:7100'], { host: '0:0:0:0:0:0:0:1', port: 7100 })).toBe(
      'http://[::1]:7100',
    );
  });
});

describe('a voter that listens on all addresses', () => {
  it('finds its own among those of the seed', async () => {
    const port = await onePort();
    const member = await start({
      id: 'a',
      listen: { host: '0.0.0.0', port },
      insecure: true,
      seed: { host: `127.0.0.2:${port}`, url: '/voter' },
    });
    expect(member.url).toBe(`http://127.0.0.2:${port}/voter`);
  });

  it('uses the address from which it reaches the seed, if that does not have its own', async () => {
    const [port, otherPort] = await freePorts(2);
    const seed = { host: `127.0.0.2:${port}`, url: '/' };
    const first = await start({ id: 'a', listen: { host: '127.0.0.2', port: port! }, seed });
    const late = await start({
      id: 'b',
      listen: { host: '0.0.0.0', port: otherPort! },
      insecure: true,
      seed,
    });
    await expect.poll(() => late.url).toBe(`http://127.0.0.1:${otherPort}`);
    await expect.poll(() => first.voters.map(({ url }) => url)).toContain(`http://127.0.0.1:${otherPort}`);
  });
});

describe('a voter behind something that passes connections on', () => {
  it('finds its own address by asking all of them for its own process', async () => {
    const port = await onePort();
    const proxy = await startTcpProxy(`http://127.0.0.1:${port}`);
    closers.push(() => proxy.close());
    const seed = { host: new URL(proxy.url).host, url: '/' };
    const logged: string[] = [];
    const log = ({ message }: LogEntry): void => void logged.push(message);
    const member = await start({ id: 'a', listen: { port }, seed, log });
    expect(member.url).toBe(`http://127.0.0.1:${port}`);
    await expect.poll(() => member.url).toBe(proxy.url);
    expect(logged).toContain(`the others reach this member at ${proxy.url}`);
    expect(member.voters).toEqual([{ id: 'a', url: proxy.url }]);
    // Another process under its id is not itself.
    const other = await start({ id: 'a', listen: { host: '127.0.0.2', port }, seed });
    await expect.poll(() => proxy.asked).toBeGreaterThan(1);
    expect(other.url).toBe(`http://127.0.0.2:${port}`);
  });
});

describe('a voter without an address to listen on', () => {
  it('listens on its own address among those of the seed', async () => {
    const port = await onePort();
    const member = await start({ id: 'a', seed: { host: `127.0.0.5:${port}`, url: '/voter' } });
    expect(member.url).toBe(`http://127.0.0.5:${port}/voter`);
    expect((await fetch(`http://127.0.0.5:${port}/voter/status`)).status).toBe(200);
  });

  const far = async (): Promise<string[]> => ['192.0.2.200', '192.0.2.201'];

  it('is refused if the seed has no address of this machine', async () => {
    const own = await readOptions({
      ...draw,
      id: 'a',
      seed: { host: 'voters:7100', url: '/' },
      insecure: true,
    });
    await expect(findPlace(own, far)).rejects.toThrow(
      'cannot choose an address to listen on: none of the addresses of the seed voters:7100 is one of this machine (http://192.0.2.200:7100, http://192.0.2.201:7100); say where to listen',
    );
  });

  it('is refused if the voters are elsewhere and it would listen on the loopback', async () => {
    const none = await readOptions({ ...draw, id: 'a', seed: { host: 'voters:7100' } });
    await expect(findPlace(none, far)).rejects.toThrow(
      'the voters of the seed voters:7100 are not on this machine (http://192.0.2.200:7100); say where to listen',
    );
  });

  it('is refused if the seed cannot be resolved', async () => {
    const own = await readOptions({ ...draw, id: 'a', seed: { host: 'voters:7100', url: '/' } });
    await expect(findPlace(own, () => Promise.reject(new Error('no such name')))).rejects.toThrow(
      'the seed voters:7100 cannot be resolved (no such name), so its own address is not known',
    );
  });

  it('is refused beyond the loopback, unless that is accepted', async ({ skip }) => {
    const outer = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outer === undefined) return skip('this machine has only the loopback');
    const seed = { host: 'voters:7100', url: '/' };
    const resolve = async (): Promise<string[]> => ['192.0.2.200', outer.address];
    await expect(findPlace(await readOptions({ ...draw, id: 'a', seed }), resolve)).rejects.toThrow(
      /^listen: expected an address of the loopback, or certificates .*insecure: true, .*its own address/,
    );
    const open = await findPlace(await readOptions({ ...draw, id: 'a', seed, insecure: true }), resolve);
    expect(open).toMatchObject({
      listen: { host: outer.address, port: 7100 },
      url: `http://${outer.address}:7100`,
    });
  });
});

describe('a member whose URL is not on the loopback', () => {
  const url = 'http://192.0.2.200:7101';

  it('is refused with a random port, in every protocol', async () => {
    for (const told of [{ url }, { peers: [{ id: 'a', url }] }])
      await expect(readOptions({ id: 'a', listen: { port: 0 }, ...told })).rejects.toThrow(
        `listen.port: expected a port, since the others are told ${url}, found 0, any that is free`,
      );
  });

  it('warns if it listens on the loopback all the same', async () => {
    const port = await onePort();
    const warnings: string[] = [];
    const log = ({ level, message }: LogEntry): void => void (level === 'warning' && warnings.push(message));
    await start({ id: 'a', listen: { port }, url, log });
    expect(warnings).toEqual([
      `listens on 127.0.0.1:${port}, but the others are told ${url}: unless something there passes connections on, they cannot reach this member`,
    ]);
  });
});
