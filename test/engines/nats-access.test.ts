import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { nkeyAuthenticator, nkeys } from '@nats-io/transport-node';
import { afterEach, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { seen, won } from '../../src/engines/conformance/stage.ts';
import { type NatsOptions, nats } from '../../src/engines/nats/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { freePorts } from '../support/free-ports.ts';
import { refusalOf } from '../support/refusal.ts';
import { hasNats, NatsServer, type ServerOptions } from '../support/servers/nats.ts';

const PASSWORD = 's3cret:@/%pass';
const SHOWN = encodeURIComponent(PASSWORD);

let closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.reverse()) await each.close();
  closing = [];
});

function join(url: string, options: NatsOptions = {}): Election {
  const engine = nats(url, { leaseMs: 5000, ...options });
  closing.push(engine);
  return new Election('access', engine);
}

async function start(options: ServerOptions = {}): Promise<NatsServer> {
  const server = await NatsServer.start(options);
  closing.push(server);
  return server;
}

const reasonOf = async (election: Election): Promise<string> =>
  (await seen(election, 'a reason', ({ cause }) => cause === 'store-unreachable')).detail;

describe('bad input to NATS', () => {
  const refused = (url: string, options: NatsOptions = {}): string =>
    refusalOf(() => nats(url, options)).message;

  it.each([
    'http://h',
    'nats:',
    'nats://',
    'nats://h,',
    'nats://h:0',
    'nats://h:70000',
    'nats://::1',
    'nats://h i',
    '',
  ])('the address %j is refused', (url) => {
    expect(refused(url)).toMatch(/^url: expected nats:\/\//);
  });

  it('what stands after the hosts is refused', () => {
    expect(refused('nats://h/db')).toMatch(/nothing after the hosts/);
    expect(refused('nats://h?x=1')).toMatch(/nothing after the hosts/);
  });

  it('an empty user, password or token is refused, and a secret is never shown', () => {
    for (const url of ['nats://@h', 'nats://me:@h', 'nats://:pw@h'])
      expect(refused(url)).toMatch(/a user and a password, or a token/);
    for (const url of [
      `http://me:${PASSWORD}@h`,
      `nats://me:${PASSWORD}@h:x`,
      `nats://${SHOWN}@h/db`,
      'nats://me:s3cret%@h',
    ])
      expect(refused(url)).not.toContain('s3cret');
  });

  it('options are checked, with the remedy', () => {
    expect(refused('nats://h', { leaseMs: 99 })).toBe(
      'leaseMs: expected at least 100, since messages of JetStream cannot expire sooner, found 99',
    );
    expect(refused('nats://h', { leaseMs: 1000.5 })).toMatch(/a whole number/);
    expect(refused('nats://h', { bucket: 'a.b' })).toMatch(/^bucket: expected up to 200 letters/);
    expect(refused('nats://h', { replicas: 2 as 1 })).toMatch(/^replicas: expected 1, 3 or 5/);
    expect(refused('nats://h', { choria: 'yes' as unknown as boolean })).toMatch(
      /^choria: expected true or false/,
    );
    expect(refused('nats://h', { choria: true, leaseMs: 4999 })).toMatch(
      /at least 5000, since the electors of Choria/,
    );
    expect(refused('nats://h', { choria: true, leaseMs: 3_600_001 })).toMatch(/at most 3600000/);
    expect(refused('nats://t@h', { authenticator: () => undefined as never })).toMatch(/^authenticator: /);
    expect(refused('nats://h', { ca: '-----BEGIN' })).toMatch(/only with tls:\/\//);
    expect(refused('tls://h', { ca: '/etc/ca.pem' })).toMatch(/the text of a PEM file, not its path/);
    expect(refused('tls://h', { cert: '-----BEGIN' })).toMatch(/^key: expected to be given together/);
  });

  it('a name that is no key is refused', async () => {
    const engine = nats('nats://127.0.0.1:1');
    for (const name of ['', 'a b', '.a', 'a.', 'a..b', 'a*', 'ä', 'x'.repeat(201)])
      expect(() => engine.seat(name)).toThrow(/^election: expected up to 200 letters, digits/);
    await engine.close();
  });
});

describe.runIf(hasNats())('who may use NATS', () => {
  it('a user needs the right password, which is never shown', async () => {
    const config = `authorization { user: me, password: "${PASSWORD}" }`;
    const server = await start({ config, admin: { user: 'me', pass: PASSWORD } });
    const at = `127.0.0.1:${server.port}`;
    await won(join(`nats://me:${SHOWN}@${at}`));
    const wrong = join(`nats://me:wrong-s3cret@${at}`);
    expect(await reasonOf(wrong)).toBe(`NATS is unavailable: ${at} refused the password of user me`);
    const failure = await wrong
      .campaign({ signal: AbortSignal.timeout(200) })
      .catch((error: unknown) => error);
    expect(inspect([failure, wrong, closing], { depth: 8 })).not.toContain('s3cret');
    expect(await reasonOf(join(`nats://${at}`))).toMatch(/refused us: it asks for a user and a password/);
  });

  it('a token must be the right one', async () => {
    const server = await start({ config: 'authorization { token: "t0ken" }', admin: { token: 't0ken' } });
    await won(join(`nats://t0ken@127.0.0.1:${server.port}`));
    const detail = await reasonOf(join(`nats://wr0ng@127.0.0.1:${server.port}`));
    expect(detail).toMatch(/refused the token$/);
    expect(detail).not.toContain('wr0ng');
  });

  it('a key pair does, with an authenticator', async () => {
    const pair = nkeys.createUser();
    const authenticator = nkeyAuthenticator(pair.getSeed());
    const config = `authorization { users: [ { nkey: ${pair.getPublicKey()} } ] }`;
    const server = await start({ config, admin: { authenticator } });
    await won(join(server.url, { authenticator }));
  });

  it('what an account may do is enough when it is what the documentation says', async () => {
    const text = readFileSync(new URL('../../docs/engines/nats.md', import.meta.url), 'utf8');
    const permissions = /```\n(permissions: \{[\s\S]*?)```/.exec(text)![1]!;
    const withoutCreating = permissions.replaceAll(/^.*STREAM\.CREATE.*\n/gm, '');
    expect(withoutCreating).not.toBe(permissions);
    const config = `authorization { users: [
      { user: admin, password: admin }
      { user: me, password: me, ${permissions} }
      { user: other, password: other, ${withoutCreating} }
    ] }`;
    const server = await start({ config, admin: { user: 'admin', pass: 'admin' } });
    const url = `nats://me:me@127.0.0.1:${server.port}`;
    const [a, b] = [join(url), join(url.replace('me:me', 'other:other'), { retryMs: 3_600_000 })];
    const held = await won(a);
    const version = await held.publish('value');
    await seen(b, 'the value', (observation) => observation.version === version);
    const next = won(b);
    await held.resign();
    await next;
  });

  it('over TLS, with an authority of our own', async () => {
    const certificate = makeCertificate('DNS:localhost');
    closing.push(certificate);
    const { certFile, keyFile, cert: ca } = certificate;
    const config = `tls { cert_file: "${certFile}", key_file: "${keyFile}" }`;
    const server = await start({ config, admin: { tls: { ca } } });
    const url = `tls://localhost:${server.port}`;
    await won(join(url, { ca }));
    expect(await reasonOf(join(url))).toMatch(/certificate/);
  });

  it('a server without JetStream is told from one that cannot be reached', async () => {
    const accounts =
      'accounts { A { users: [ { user: a, password: without } ] }, J { jetstream: enabled, users: [ { user: j, password: j } ] } }';
    const server = await start({ config: accounts, admin: { user: 'j', pass: 'j' } });
    expect(await reasonOf(join(`nats://a:without@127.0.0.1:${server.port}`))).toMatch(/JetStream/);
    const [port] = await freePorts(1);
    expect(await reasonOf(join(`nats://127.0.0.1:${port}`))).toMatch(/no server answers at 127\.0\.0\.1/);
  });

  it('of several servers one that answers is enough', async () => {
    const server = await start();
    const [port] = await freePorts(1);
    for (let turn = 0; turn < 4; turn++) {
      const election = join(`nats://127.0.0.1:${port},127.0.0.1:${server.port}`);
      await (await won(election, 5000)).resign();
    }
  });
});
