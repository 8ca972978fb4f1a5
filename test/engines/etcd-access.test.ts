/** Who may use etcd, and how: addresses, options, passwords and certificates. */
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { aborted, seen, won } from '../../src/engines/conformance/stage.ts';
import { type EtcdOptions, etcd } from '../../src/engines/etcd/index.ts';
import { type Certificate, makeCertificate } from '../support/certificate.ts';
import { refusalOf } from '../support/refusal.ts';
import { EtcdServer, hasEtcd } from '../support/servers/etcd.ts';

const PASSWORD = 's3cret:@/%pass';
const SHOWN = encodeURIComponent(PASSWORD);
const ROOT = ['--user', 'root:rootpw'];

let engines: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  engines = [];
});

function join(name: string, url: string, options: EtcdOptions = {}): Election {
  // Roomy, since etcd takes its time over a password.
  const engine = etcd(url, { leaseMs: 15_000, ...options });
  engines.push(engine);
  return new Election(name, engine);
}

const reasonOf = async (election: Election): Promise<string> =>
  (await seen(election, 'a reason', ({ cause }) => cause === 'store-unreachable')).detail;

describe('bad input to etcd', () => {
  const refused = (url: string, options: EtcdOptions = {}): string =>
    refusalOf(() => etcd(url, options)).message;

  it.each([
    'http://h',
    'etcd:',
    'etcd://',
    'etcd://h,',
    'etcd://h:0',
    'etcd://h:70000',
    'etcd://::1',
    'etcd://h i',
    '',
  ])('the address %j is refused', (url) => {
    expect(refused(url)).toMatch(/^url: expected etcd:\/\//);
  });

  it('what stands after the hosts is refused', () => {
    expect(refused('etcd://h/db')).toMatch(/nothing after the hosts/);
    expect(refused('etcd://h?x=1')).toMatch(/nothing after the hosts/);
  });

  it('a user without a password is refused, and a password is never shown', () => {
    expect(refused('etcd://me@h')).toMatch(/a user and a password/);
    for (const url of [
      `http://me:${PASSWORD}@h`,
      `etcd://me:${PASSWORD}@h:x`,
      `etcd://me:${SHOWN}@h/db`,
      'etcd://me:s3cret%@h',
    ]) {
      expect(refused(url)).not.toMatch(/s3cret|pass@/);
    }
  });

  it('several hosts, IPv6 and a missing port are fine', () => {
    for (const url of ['etcd://a:1,b', 'etcds://[::1]:2379', 'etcd://me:pw@h/'])
      expect(etcd(url).name).not.toBe('');
  });

  it('a lease below the floor is refused, naming why', () => {
    expect(refused('etcd://h', { leaseMs: 1999 })).toMatch(/leaseMs: expected at least 2000, since etcd/);
    expect(refused('etcd://h', { leaseMs: Number.NaN })).toMatch(/leaseMs/);
  });

  it('options of TLS are refused without it, and when they are not what they should be', () => {
    const pem = '-----BEGIN CERTIFICATE-----';
    expect(refused('etcd://h', { ca: pem })).toMatch(/ca: expected to be given only with etcds/);
    expect(refused('etcd://h', { rejectUnauthorized: false })).toMatch(/rejectUnauthorized: .* etcds/);
    expect(refused('etcds://h', { ca: '/etc/ca.pem' })).toMatch(
      /ca: expected the text of a PEM file, not its path/,
    );
    expect(refused('etcds://h', { cert: pem })).toMatch(/key: expected to be given together/);
  });

  it('names that it cannot hold are refused', () => {
    const engine = etcd('etcd://h');
    for (const name of ['', 'a\nb', 'x'.repeat(1001), '\ud800']) {
      expect(() => engine.seat(name)).toThrow(/^election: expected a name/);
    }
  });
});

describe.runIf(hasEtcd())('etcd with users', () => {
  let server: EtcdServer;
  const address = (user: string, password: string): string =>
    server.url.replace('//', `//${user}:${password}@`);

  beforeAll(async () => {
    server = await EtcdServer.start();
    for (const args of [
      ['user', 'add', 'root:rootpw'],
      ['user', 'grant-role', 'root', 'root'],
      ['user', 'add', 'worker', '--new-user-password', PASSWORD],
      ['role', 'add', 'jobs'],
      ['role', 'grant-permission', 'jobs', '--prefix=true', 'readwrite', 'jobs'],
      ['user', 'grant-role', 'worker', 'jobs'],
      ['auth', 'enable'],
    ]) {
      await server.ctl(args);
    }
  });
  afterAll(() => server?.close());

  it('a user with the permission for the name leads, publishes and hands over', async () => {
    const [a, b] = [join('jobs', address('worker', SHOWN)), join('jobs', address('worker', SHOWN))];
    const leadership = await won(a);
    await leadership.publish('here');
    await seen(b, 'the value', ({ value }) => value === 'here');
    const next = won(b);
    await leadership.resign();
    expect((await next).token).toBeGreaterThan(leadership.token);
  });

  it('a token that etcd no longer knows is asked for again', async () => {
    const a = join('jobs-again', address('worker', SHOWN), { leaseMs: 10_000, renewMs: 400, callMs: 2000 });
    const leadership = await won(a);
    await server.stop(); // It keeps tokens in memory only.
    await server.restart();
    const before = leadership.expiresInMs;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(leadership.isValid()).toBe(true);
    expect(leadership.expiresInMs).toBeGreaterThan(before - 500);
    await server.ctl(['del', '--prefix', 'jobs-again/'], ROOT);
    await aborted(leadership.signal);
    expect(leadership.signal.reason).toMatchObject({ cause: 'deposed' });
    await leadership.resign();
  });

  it('says which user was refused, or denied, or is missing; the password is nowhere', async () => {
    const wrong = join('jobs', address('worker', 'wr0ng-one'));
    const denied = join('others', address('worker', SHOWN));
    const nobody = join('jobs', server.url);
    const reasons = await Promise.all([wrong, denied, nobody].map(reasonOf));
    expect(reasons).toEqual([
      'etcd is unavailable: it refused the password of user worker',
      'etcd is unavailable: it denies user worker the permission for this election',
      'etcd is unavailable: it wants a user and a password: etcd://user:password@host',
    ]);
    await expect(wrong.campaign({ signal: AbortSignal.timeout(300) })).rejects.toThrow();
    const everything = inspect([wrong, denied, engines], { depth: 20, showHidden: true }) + reasons.join();
    expect(everything).not.toMatch(/wr0ng-one|s3cret/);
  });

  it('a password where none is needed does no harm', async () => {
    const open = await EtcdServer.start();
    try {
      await won(join('jobs', open.url.replace('//', '//someone:something@')));
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
      await open.close();
    }
  });
});

describe.runIf(hasEtcd())('etcd over TLS', () => {
  let server: EtcdServer;
  let certificate: Certificate;
  let ca: string;

  beforeAll(async () => {
    certificate = makeCertificate();
    ca = certificate.cert;
    server = await EtcdServer.start(certificate);
  });
  afterAll(async () => {
    await server?.close();
    await certificate?.close();
  });

  it('believes a certificate that the given authority vouches for, or any if told so', async () => {
    const [a, b] = [join('tls', server.url, { ca }), join('tls', server.url, { rejectUnauthorized: false })];
    const leadership = await won(a);
    await seen(b, 'the leader', ({ leader }) => leader === a.self);
    const next = won(b);
    await leadership.resign();
    await next;
  });

  it('shows our own certificate to an etcd that asks for it', async () => {
    const strict = await EtcdServer.start({ ...certificate, isMutual: true });
    try {
      await won(join('tls', strict.url, { ca, cert: ca, key: certificate.key }));
      expect(await reasonOf(join('tls', strict.url, { ca }))).toMatch(/etcd is unavailable: \S/);
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
      await strict.close();
    }
  });

  it('believes no other, and says so', async () => {
    expect(await reasonOf(join('tls', server.url))).toMatch(/self-signed certificate/);
  });

  it('says so when etcd wants TLS and we do not', async () => {
    expect(await reasonOf(join('tls', server.url.replace('etcds', 'etcd')))).toMatch(
      /etcd is unavailable: \S/,
    );
  });
});
