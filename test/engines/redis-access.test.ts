import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { BadInput } from '../../src/core/index.ts';
import { Election } from '../../src/election/index.ts';
import type { Participant } from '../../src/engines/conformance/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { parseAddress } from '../../src/engines/redis/address.ts';
import { type RedisOptions, redis } from '../../src/engines/redis/index.ts';
import { Link, load } from '../../src/engines/redis/link.ts';
import { makeCertificate } from '../support/certificate.ts';
import { refusalOf } from '../support/refusal.ts';
import { hasRedis, type RedisFlags, RedisServer } from '../support/servers/redis.ts';

const SECRET = 's3cret/+@: word';
const opened: Participant[] = [];
const servers: RedisServer[] = [];

function join(url: string, options: RedisOptions = {}): Election {
  const engine = redis(url, { leaseMs: 1500, callMs: 600, ...options });
  opened.push(engine);
  return new Election('access', engine);
}

async function start(flags: RedisFlags = {}): Promise<RedisServer> {
  const server = await RedisServer.start(flags);
  servers.push(server);
  return server;
}

const refusal = (url: string, options?: RedisOptions): BadInput => refusalOf(() => redis(url, options));

/** Why it cannot lead. */
async function trouble(election: Election): Promise<string> {
  void election.campaign().catch(() => {});
  return (await seen(election, 'an error', ({ cause }) => cause === 'store-unreachable')).detail;
}

describe('what Redis is told', () => {
  it('refuses addresses that are none, and shows no password', () => {
    const bad = [
      'http://127.0.0.1',
      'redis:127.0.0.1',
      'redis://',
      'redis:///2',
      'redis://host:99999',
      'redis://host/first',
      'redis://host/1/2',
      'redis://host?tls=1',
      'redis://one,,two',
      'redis://user@host',
      'redis://one:1,two:2,ONE:1',
      `redis://me:%zz${SECRET}@host`,
      `redis://me:${SECRET}@host:x`,
    ];
    for (const url of bad) {
      const error = refusal(url);
      expect(error.path, url).toBe('url');
      expect(error.message).not.toContain('s3cret');
    }
    expect(refusal('redis://one:1,one:1').message).toMatch(/every master once/);
  });

  it('refuses options that make no sense, naming them', () => {
    const paths = (
      [
        { keyPrefix: 'a{b' },
        { wait: -1 },
        { wait: 1.5 },
        { leaseMs: 10 },
        { ca: '-----BEGIN CERTIFICATE-----' },
      ] as RedisOptions[]
    ).map((options) => refusal('redis://host', options).path);
    expect(paths).toEqual(['keyPrefix', 'wait', 'wait', 'leaseMs', 'ca']);
    expect(refusal('rediss://host', { ca: '/etc/ca.pem' }).message).toMatch(/not its path/);
    expect(refusal('rediss://host', { cert: '-----BEGIN CERTIFICATE-----' }).path).toBe('key');
  });

  it('refuses names that it cannot keep apart', async () => {
    const engine = redis('redis://127.0.0.1:1');
    for (const name of ['', 'a{b', 'a}b', 'a\nb', '\ud800', 'x'.repeat(1001)])
      expect(() => engine.seat(name), name).toThrow(BadInput);
    await engine.close();
  });
});

describe.runIf(hasRedis())('who may use Redis, and how', () => {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((engine) => engine.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  it('says who was refused with which kind of secret, and never the secret', async () => {
    const server = await start({ requirepass: 'the-right-one' });
    const host = server.url.replace('redis://', '');
    const wrong = encodeURIComponent(SECRET);
    const details = [
      await trouble(join(`redis://somebody:${wrong}@${host}`)),
      await trouble(join(`redis://:${wrong}@${host}`)),
      await trouble(join(server.url)),
    ];
    const where = `Redis is unavailable: 127.0.0.1:${server.port}`;
    expect(details).toEqual([
      `${where}: it refused the password of user somebody`,
      `${where}: it refused the password of the default user`,
      `${where}: it wants a password: redis://user:password@host or redis://:password@host`,
    ]);
    expect((await won(join(`redis://:the-right-one@${host}`))).isValid()).toBe(true);
  });

  it.each([
    'eval evalsha hmget hset get set del exists pexpire pexpiretime pttl time publish subscribe unsubscribe',
    // What was enough before those who wait counted leases too.
    'eval evalsha hmget hset get set del exists pexpire pttl time publish subscribe unsubscribe',
  ])('needs these permissions and no others: %s', async (commands) => {
    const server = await start();
    const rules = [
      'on',
      `>${SECRET}`,
      '~caucus:*',
      '&caucus:*',
      ...commands.split(' ').map((each) => `+${each}`),
    ];
    await server.cli(['ACL', 'SETUSER', 'elector', ...rules]);
    await server.cli([
      'ACL',
      'SETUSER',
      'reader',
      'on',
      '>reading',
      '~caucus:*',
      '&caucus:*',
      '+eval',
      '+evalsha',
    ]);
    const url = server.url.replace('//', `//elector:${encodeURIComponent(SECRET)}@`);
    const leadership = await won(join(url));
    await leadership.publish('allowed');
    const waiting = join(url, { retryMs: 3_600_000 });
    await seen(waiting, 'the value', ({ value }) => value === 'allowed');
    const next = won(waiting);
    await leadership.resign();
    await next;
    const detail = await trouble(join(server.url.replace('//', '//reader:reading@')));
    expect(detail).toMatch(/^Redis is unavailable: 127.0.0.1:\d+: it denies user reader a permission: /);
  });

  it('keeps an election under these keys', async () => {
    const server = await start();
    const election = join(`${server.url}/3`, { keyPrefix: 'app:', name: 'me' });
    const { token, publish } = await won(election);
    await publish({ up: true });
    const cli = (...args: string[]): Promise<string> => server.cli(['-n', '3', ...args]);
    expect((await cli('KEYS', '*')).split('\n').sort()).toEqual(
      ['fence', 'lease', 'value'].map((each) => `app:{access}:${each}`),
    );
    const lease = await cli('HMGET', 'app:{access}:lease', 'leader', 'attempt', 'token');
    expect(lease).toMatch(new RegExp(`^me\\n\\d+\\n${token}$`));
    expect(await cli('HGET', 'app:{access}:lease', 'holder')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(await cli('PTTL', 'app:{access}:lease'))).toBeLessThanOrEqual(1500);
    expect(await cli('GET', 'app:{access}:fence')).toBe(`${token}`);
    expect(await cli('PTTL', 'app:{access}:fence')).toBe('-1');
    const value = await cli('HMGET', 'app:{access}:value', 'value', 'version', 'token');
    expect(value).toBe(`{"up":true}\n1\n${token}`);
    expect(Math.abs(Number(token) - Date.now())).toBeLessThan(60_000);
  });

  it('has two connections for all its elections, and asks for little', async () => {
    const server = await start();
    const [one, other] = [redis(server.url, { leaseMs: 3000 }), redis(server.url, { leaseMs: 3000 })];
    opened.push(one, other);
    for (const name of ['x', 'y', 'z']) {
      const leadership = await won(new Election(name, one));
      void new Election(name, other).campaign().catch(() => {});
      expect(leadership.isValid()).toBe(true);
    }
    const ours = async (): Promise<string[]> => {
      return (await server.cli(['CLIENT', 'LIST']))
        .split('\n')
        .filter((line) => !line.includes('cmd=client'));
    };
    await expect.poll(async () => (await ours()).length, { timeout: 5000 }).toBe(4);
    const asked = async (): Promise<number> => {
      const stats = await server.cli(['INFO', 'commandstats']);
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
    };
    const before = await asked();
    await sleep(3000);
    // Each of the two has three elections, and looks at each three times in 3 s.
    expect((await asked()) - before).toBeLessThanOrEqual(24);
    expect((await ours()).length).toBe(4);
  });

  it('waits for replicas where it is told to, and refuses to lead on one', async () => {
    const server = await start({ 'repl-diskless-sync-delay': '0' });
    expect(await trouble(join(server.url, { wait: 1 }))).toBe(
      `Redis is unavailable: 127.0.0.1:${server.port}: 0 of 1 replicas had it in time (option wait)`,
    );
    await opened.pop()!.close();
    expect(await server.cli(['EXISTS', 'caucus:{access}:lease'])).toBe('0');
    const replica = await start({ replicaof: `127.0.0.1 ${server.port}` });
    await won(join(server.url, { wait: 1 }));
    expect(await replica.cli(['EXISTS', 'caucus:{access}:lease'])).toBe('1');
    const detail = await trouble(join(replica.url, { keyPrefix: 'other:' }));
    expect(detail).toBe(
      `Redis is unavailable: 127.0.0.1:${replica.port}: it is a read-only replica: connect to its master`,
    );
  });

  it('speaks TLS, and trusts whom it is told to', async () => {
    const certificate = makeCertificate();
    try {
      const server = await start({
        'tls-cert-file': certificate.certFile,
        'tls-key-file': certificate.keyFile,
        'tls-auth-clients': 'no',
      });
      expect((await won(join(server.url, { ca: certificate.cert }))).isValid()).toBe(true);
      expect(await trouble(join(server.url))).toMatch(
        /^Redis is unavailable: 127.0.0.1:\d+: self-signed certificate/,
      );
    } finally {
      await certificate.close();
    }
  });

  it('says that it supports neither a node of a cluster nor a Sentinel', async () => {
    const cluster = await start({ 'cluster-enabled': 'yes' });
    expect(await cluster.cli(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])).toBe('OK'); // It has every key.
    const sentinel = await RedisServer.startSentinel();
    servers.push(sentinel);
    expect(await trouble(join(cluster.url))).toBe(
      `Redis is unavailable: 127.0.0.1:${cluster.port}: it is a node of a Redis Cluster, which this engine does not support: name a server outside of a cluster`,
    );
    expect(await trouble(join(sentinel.url))).toBe(
      `Redis is unavailable: 127.0.0.1:${sentinel.port}: it is a Redis Sentinel, which this engine does not support: name the master`,
    );
  });

  it('says so when nobody listens there', async () => {
    const server = await start();
    await server.stop();
    expect(await trouble(join(server.url))).toBe(
      `Redis is unavailable: connect ECONNREFUSED 127.0.0.1:${server.port}`,
    );
    const many = await trouble(join(`redis://127.0.0.1:1,127.0.0.1:2,127.0.0.1:${server.port}`));
    for (const port of [1, 2, server.port]) expect(many).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('closes a connection that was given up while it was being made, also where nobody ever answers', async () => {
    await load();
    const silent = net.createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as net.AddressInfo;
    const accepted = once(silent, 'connection') as Promise<[net.Socket]>;
    const address = parseAddress(`redis://127.0.0.1:${port}`);
    const settings = { address, endpoint: address.endpoints[0]!, tls: {}, connectMs: 60_000 };
    const link = new Link(settings, () => {});
    const given = expect(link.ready).rejects.toThrow();
    await turn(); // The library has begun, and its socket does not stand yet.
    link.end();
    const [socket] = await accepted;
    if (!socket.destroyed) await once(socket.resume(), 'close');
    await given;
    silent.close();
  });

  it('asks whether TLS is spoken where nobody answers to it', async () => {
    const server = await start();
    expect(await trouble(join(server.url.replace('redis:', 'rediss:'), { callMs: 300 }))).toBe(
      `Redis is unavailable: 127.0.0.1:${server.port}: no connection within 270 ms: is TLS spoken at this port?`,
    );
  });
});
