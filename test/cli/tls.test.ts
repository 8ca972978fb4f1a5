/** Members with certificates, as the command starts and asks them. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { connect, type SecureVersion } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';
import { TestCa } from '../support/test-ca.ts';
import { caucus, end, start } from './caucus.ts';

const DAY_MS = 86_400_000;
let ca: TestCa;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  ca = await TestCa.open();
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-cli-tls-'));
});

afterEach(async () => {
  const running = children.splice(0).filter((child) => child.exitCode === null && child.signalCode === null);
  const gone = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(gone);
});

afterAll(() => {
  ca.close();
  rmSync(folder, { recursive: true, force: true });
});

function flagsOf({ cert, key, ca: file }: { cert: string; key: string; ca: string }): string[] {
  return ['--tls-cert', cert, '--tls-key', key, '--tls-ca', file];
}

/** A participant on a store has no peers, and so no CA. */
function storeFlagsOf({ cert, key }: { cert: string; key: string }): string[] {
  return ['--tls-cert', cert, '--tls-key', key];
}

/** A member that is up, and the lines of its log. */
async function startNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ child: ChildProcess; log: string[] }> {
  const child = start(['node', '--json', ...args], undefined, env);
  children.push(child);
  const log: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream }).on('line', (line) => void log.push(line));
  await until('it is up', () => log.some((line) => line.includes('"ready"')));
  return { child, log };
}

function shownBy(port: number, maxVersion: SecureVersion = 'TLSv1.3'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion }, () => {
      resolve(socket.getPeerX509Certificate()!.fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('caucus node with certificates', () => {
  it('is asked by https with the CA of the cluster, and by nothing else', async () => {
    const [port] = await freePorts(1);
    const tls = await ca.member('a');
    const { log } = await startNode(['--id', 'a', '--listen', `127.0.0.1:${port}`, ...flagsOf(tls)]);
    expect(log.join()).toContain(`https://127.0.0.1:${port}`);
    const url = `https://127.0.0.1:${port}`;
    // It is elected a moment before it may act: `leader` names it by then, and `status` says that it is waiting.
    await until('it may act', async () => (await caucus(['status', url, '--tls-ca', tls.ca])).code === 0);
    const asked = await caucus(['status', `127.0.0.1:${port}`, '--tls-ca', tls.ca]);
    expect([asked.code, asked.stderr, asked.stdout]).toEqual([0, '', expect.stringContaining(url)]);
    const byVariable = start(['leader', url], undefined, { CAUCUS_TLS_CA: tls.ca });
    expect(await end(byVariable)).toMatchObject({ code: 0, stdout: 'a\n' });
    const untrusted = await caucus(['status', url]);
    expect([untrusted.code, untrusted.stderr]).toEqual([
      1,
      `caucus: ${url}: its certificate is not of a CA that is trusted here; give the CA of the cluster with --tls-ca or CAUCUS_TLS_CA\n`,
    ]);
    const plain = await caucus(['status', `http://127.0.0.1:${port}`]);
    expect([plain.code, plain.stderr]).toEqual([
      1,
      `caucus: http://127.0.0.1:${port}: this member speaks TLS only: use https in place of http\n`,
    ]);
    const wrong = await caucus(['status', `https://127.0.0.2:${port}`, '--tls-ca', tls.ca]);
    expect(wrong.stderr).toMatch(/nothing listens there|is not for this host/);
    const resigned = await caucus(['resign', url, '--tls-ca', tls.ca]);
    expect([resigned.code, resigned.stderr]).toEqual([0, '']);
  });

  it('may listen beyond the loopback, and then its commands are closed without a token', async () => {
    const [port] = await freePorts(1);
    const tls = await ca.member('a');
    await startNode([
      '--id',
      'a',
      '--listen',
      `0.0.0.0:${port}`,
      '--url',
      `https://127.0.0.1:${port}`,
      ...flagsOf(tls),
    ]);
    const leader = ['leader', `https://127.0.0.1:${port}`, '--tls-ca', tls.ca];
    await until('it leads', async () => (await caucus(leader)).code === 0);
    const refused = await caucus(['resign', `https://127.0.0.1:${port}`, '--tls-ca', tls.ca]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('this needs a token with the role operate');
  });

  it('reads its certificates again on SIGHUP and when they change, and goes on', async () => {
    const [port] = await freePorts(1);
    const files = await ca.member('a');
    const { child, log } = await startNode(['--id', 'a', '--listen', `127.0.0.1:${port}`, ...flagsOf(files)]);
    const before = await shownBy(port!);
    await until('it acts', () => log.some((line) => line.includes('"acting"')));
    const next = await ca.issue('a');
    writeFileSync(files.cert, next.cert);
    writeFileSync(files.key, next.key);
    child.kill('SIGHUP');
    await until('it shows the new one', async () => (await shownBy(port!)) !== before);
    const second = await shownBy(port!);
    writeFileSync(`${files.key}.new`, 'no key', { mode: 0o600 });
    renameSync(`${files.key}.new`, files.key);
    await until('it is told', () => log.some((line) => line.includes('the certificates stay as they were')));
    expect(await shownBy(port!)).toBe(second);
    const complaints = log.filter((line) => line.includes('stay as they were'));
    expect(complaints).toHaveLength(1);
    expect(JSON.parse(complaints[0]!)).toMatchObject({
      level: 'error',
      text: expect.stringContaining(files.key),
    });
    expect(child.exitCode).toBeNull();
    expect(log.some((line) => line.includes('"idle"'))).toBe(false);
  });

  it('takes them from variables and from a file, and shows where from', async () => {
    const tls = await ca.member(1, { uris: [], dnsNames: ['db1.example.com'] });
    const config = path.join(folder, 'member.json');
    writeFileSync(
      config,
      JSON.stringify({ id: 1, listen: '127.0.0.1:7101', tlsNames: { 'db1.example.com': 1 } }),
    );
    const env = { CAUCUS_TLS_CERT: tls.cert, CAUCUS_TLS_KEY: tls.key, CAUCUS_TLS_CA: tls.ca };
    const printed = await end(
      start(['node', '--config', config, '--print-config', '--json'], undefined, env),
    );
    expect([printed.code, printed.stderr]).toEqual([0, '']);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      tlsCert: { value: tls.cert, from: 'CAUCUS_TLS_CERT' },
      tlsNames: { value: { 'db1.example.com': 1 } },
      url: { value: 'https://127.0.0.1:7101' },
    });
  });

  it('warns from 30 days before a certificate expires, louder from 7', async () => {
    const nowMs = Date.now();
    for (const [days, level] of [
      [20.5, 'warn'],
      [3.5, 'error'],
    ] as const) {
      const [port] = await freePorts(1);
      const tls = await ca.member('a', { untilMs: nowMs + days * DAY_MS });
      const { log } = await startNode(['--id', 'a', '--listen', `127.0.0.1:${port}`, ...flagsOf(tls)]);
      const words = `the certificate of this member expires in ${Math.floor(days)} days: replace its file, which is read again by itself`;
      const told = log.map((line) => JSON.parse(line)).find(({ text }) => text === words);
      expect(told).toMatchObject({ level });
      const asked = await caucus(['status', `https://127.0.0.1:${port}`, '--tls-ca', tls.ca]);
      expect(asked.stdout).toContain(words);
    }
  });
});

describe('a participant on a store with a certificate', () => {
  it('serves https beyond the loopback, with commands that need a token, and reads it again', async () => {
    const port = (await freePorts(1))[0]!;
    // No name of a member is needed: it has no peers.
    const tls = await ca.member('a', { uris: [], uses: ['serverAuth'] });
    const engine = ['--engine', `local:${path.join(folder, 'store')}`, '--id', 'a'];
    const args = [...engine, '--listen', `0.0.0.0:${port}`, ...storeFlagsOf(tls)];
    const { child, log } = await startNode(args);
    const url = `https://127.0.0.1:${port}`;
    await until('it leads', () => log.some((line) => line.includes('"acting"')));
    const asked = await caucus(['leader', url, '--tls-ca', tls.ca]);
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    const said = (...more: string[]): string =>
      execFileSync('curl', ['-s', '--cacert', tls.ca, ...more], { encoding: 'utf8' });
    expect(JSON.parse(said(`${url}/status`)).certificate).toMatchObject({ daysLeft: 364, warning: null });
    expect(JSON.parse(said('-X', 'POST', `${url}/resign`)).error.code).toBe('E_NO_TOKENS');
    expect((await fetch(`http://127.0.0.1:${port}/status`)).status).toBe(403);
    await expect(shownBy(port, 'TLSv1.2')).rejects.toThrow(/version/);

    // Nothing has changed, so it is SIGHUP that lets it read.
    child.kill('SIGHUP');
    await until('it was read', () => log.some((line) => line.includes('that of this member is the same')));
    const before = await shownBy(port);
    const next = await ca.issue('a', { uris: [], uses: ['serverAuth'] });
    writeFileSync(tls.key, next.key);
    writeFileSync(tls.cert, next.cert);
    await until('another is shown', async () => (await shownBy(port)) !== before);
    writeFileSync(tls.cert, 'none');
    await until('it is told', () => log.some((line) => line.includes('the certificates stay as they were')));
    expect(await shownBy(port)).not.toBe(before);
  });

  it('takes it from variables, and shows where from', async () => {
    const { cert, key } = await ca.member('a');
    const env = { CAUCUS_TLS_CERT: cert, CAUCUS_TLS_KEY: key };
    const child = start(['node', '--print-config', '--engine', 'local:'], undefined, env);
    const { code, stdout } = await end(child);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tlsCert +"\/.*CAUCUS_TLS_CERT$/m);
    expect(stdout).toMatch(/^tlsKey +"\/.*CAUCUS_TLS_KEY$/m);
  });
});

describe('caucus node refuses, in one line', () => {
  const cases: readonly { what: string; args: () => Promise<string[]>; says: RegExp }[] = [
    {
      what: 'a certificate without its key',
      args: async () => ['--tls-cert', (await ca.member('a')).cert],
      says: /^caucus: --tls-key: expected it beside --tls-cert, found none$/,
    },
    {
      what: 'an expired certificate',
      args: async () => flagsOf(await ca.member('a', { untilMs: Date.now() - DAY_MS / 2 })),
      says: /^caucus: tls\.cert: expected a new certificate for member a, found \/.*\.pem, which expired on .* GMT$/,
    },
    {
      what: 'a peer with an http URL',
      args: async () => [
        ...['--listen', '127.0.0.1:0', '--peer', 'b=http://127.0.0.1:7102'],
        ...flagsOf(await ca.member('a')),
      ],
      says: /^caucus: peers\[0\]\.url: expected a URL that begins with https:\/\/, .*found "http:\/\/127\.0\.0\.1:7102"$/,
    },
    {
      what: 'an address beyond the loopback without certificates',
      args: async () => ['--listen', '0.0.0.0:7101'],
      says: /^caucus: --listen: expected a loopback address, or certificates \(--tls-cert\) or a secret/,
    },
    {
      what: 'a CA on a store, where there are no peers',
      args: async () => [...flagsOf(await ca.member('a')), '--engine', 'local:'],
      says: /^caucus: --tls-ca: expected none beside --engine, which knows no members$/,
    },
    {
      what: 'a certificate without its key, on a store',
      args: async () => ['--tls-cert', (await ca.member('a')).cert, '--engine', 'local:'],
      says: /^caucus: --tls-key: expected it beside --tls-cert, found none$/,
    },
    {
      what: 'an expired certificate, on a store',
      args: async () => [
        ...storeFlagsOf(await ca.member('a', { untilMs: Date.now() - DAY_MS / 2 })),
        ...['--engine', 'local:'],
      ],
      says: /^caucus: tls\.cert: expected a new certificate, found \/.*\.pem, which expired on .* GMT$/,
    },
    {
      what: 'a certificate for clients only, on a store',
      args: async () => [
        ...storeFlagsOf(await ca.member('a', { uses: ['clientAuth'] })),
        ...['--engine', 'local:'],
      ],
      says: /^caucus: tls\.cert: expected a certificate for servers \(extendedKeyUsage serverAuth\), found \/.*\.pem, which is not for servers/,
    },
    {
      what: 'an address beyond the loopback without a certificate, on a store',
      args: async () => ['--listen', '0.0.0.0:0', '--engine', 'local:'],
      says: /^caucus: --listen: expected an address of the loopback, or a certificate \(--tls-cert\), or --insecure, found "0\.0\.0\.0"$/,
    },
  ];

  it.each(cases)('$what', async ({ args, says }) => {
    const { code, stderr, stdout } = await caucus(['node', '--id', 'a', ...(await args())]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd()).toMatch(says);
  });
});

it('curl reaches a member with the CA, as the documentation says', async () => {
  const [port] = await freePorts(1);
  const tls = await ca.member('a');
  await startNode(['--id', 'a', '--listen', `127.0.0.1:${port}`, ...flagsOf(tls)]);
  const text = execFileSync('curl', ['-s', '--cacert', tls.ca, `https://127.0.0.1:${port}/status`], {
    encoding: 'utf8',
  });
  expect(JSON.parse(text)).toMatchObject({ voterId: 'a' });
});
