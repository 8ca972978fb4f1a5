/**
 * `caucus doctor` on real processes: a fault is injected, and must be named. The rules themselves are in
 * doctor-rules.test.ts, the checks before a start in doctor-config.test.ts.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberClient } from '../../src/cli/commands/ask/member-client.ts';
import { examine } from '../../src/cli/commands/doctor/examine.ts';
import type { Finding } from '../../src/cli/commands/doctor/finding.ts';
import { gather } from '../../src/cli/commands/doctor/gather.ts';
import { freePorts } from '../support/free-ports.ts';
import { bestGround, type Ground, HERE, type Place } from '../support/ground.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { TestCa } from '../support/test-ca.ts';
import { caucus, start } from './caucus.ts';

const supported = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
const CLOCK = supported('clock-shift.cjs');
const LOOP = supported('slow-loop.cjs');
const DISK = supported('bad-disk.cjs');
/** Long enough for members that start on a busy machine. */
const NAMED_WITHIN_MS = 90_000;
const DAY_MS = 86_400_000;

const folder = mkdtempSync(path.join(tmpdir(), 'caucus-doctor-'));
const children = new Set<ChildProcess>();
/** Three members with one fault after the other, and five that do not fit each other. */
let ground: Ground;

beforeAll(async () => {
  ground = await bestGround(8);
});

afterAll(async () => {
  const running = [...children].filter((child) => child.exitCode === null && child.signalCode === null);
  const gone = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(gone);
  ground.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Settles when the member is up. */
async function node(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  place: Place = HERE,
): Promise<ChildProcess> {
  const child = start(['node', '--json', ...args], undefined, env, place);
  children.add(child);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (JSON.parse(line).event === 'ready') resolve();
    });
    child.once('exit', () => reject(new Error(`it ended: ${args.join(' ')}`)));
  });
  return child;
}

interface Addresses {
  readonly urls: string[];
  peersOf(wrong?: object): string;
}

/** Members in the order of their ids: a, b, c … */
async function addresses(count: number): Promise<Addresses> {
  return addressesOf((await freePorts(count)).map((port) => `http://127.0.0.1:${port}`));
}

/** Those of the places from one to another. */
function placesOf(from: number, to: number): Addresses {
  return addressesOf(ground.listens.slice(from, to).map(({ host, port }) => `http://${host}:${port}`));
}

function addressesOf(urls: string[]): Addresses {
  const byId = Object.fromEntries(urls.map((url, i) => [String.fromCharCode(97 + i), url]));
  const peersOf = (wrong = {}): string =>
    Object.entries({ ...byId, ...wrong })
      .map(([id, url]) => `${id}=${url}`)
      .join(',');
  return { urls, peersOf };
}

async function diagnose(urls: readonly string[], ca: string | null = null): Promise<readonly Finding[]> {
  return examine(await gather(urls.map((url) => new MemberClient(url, undefined, null, ca)))).findings;
}

const of = (findings: readonly Finding[], kind: string, subject: string): Finding | undefined =>
  findings.find((each) => each.kind === kind && each.subject === subject);

/** Asks again until it is named: members need a moment to notice a fault, and a busy machine needs longer. */
async function named(
  urls: readonly string[],
  kind: string,
  subject: string,
  ca: string | null = null,
): Promise<Finding> {
  let found: Finding | undefined;
  await until(`${kind} of ${subject}`, async () => {
    const findings = await diagnose(urls, ca);
    found = of(findings, kind, subject);
    return found === undefined ? JSON.stringify(findings, null, 1) : null;
  });
  return found!;
}

async function post(
  url: string,
  body: object = {},
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { ok: answer.ok, text: await answer.text() };
}

/** Tries again until there is no reason why not. */
async function until(what: string, whyNot: () => Promise<string | null>): Promise<void> {
  const endMs = performance.now() + NAMED_WITHIN_MS;
  for (;;) {
    const reason = await whyNot();
    if (reason === null) return;
    if (performance.now() > endMs) throw new Error(`${what}: not in time: ${reason}`);
    await delay(200);
  }
}

describe('a cluster with one fault after the other', () => {
  const members: Record<string, ChildProcess> = {};
  let urls: string[];
  let peers: string;
  let lost: string;
  const full = path.join(folder, 'full');

  beforeAll(async () => {
    const found = placesOf(0, 3);
    ({ urls } = found);
    peers = found.peersOf();
    lost = `http://127.0.0.1:${(await freePorts(1))[0]}`;
    const data = (id: string): string[] => ['--id', id, '--data', path.join(folder, id)];
    const disk = { NODE_OPTIONS: `--require ${DISK}`, SYNC_MS: '450', DISK_FULL: full };
    const clock = {
      NODE_OPTIONS: `--require ${CLOCK} --require ${LOOP}`,
      CLOCK_SHIFT_MS: '90000',
      BLOCK_MS: '900',
    };
    [members.a, members.b, members.c] = await Promise.all([
      node([...data('a'), '--peers', peers, ...insecure()], {}, ground.place(0)),
      node([...data('b'), '--peers', peers, ...insecure()], disk, ground.place(1)),
      // Its URL of a is wrong: they are connected all the same, since a calls it.
      node(
        ['--id', 'c', '--priority', '0', '--peers', found.peersOf({ a: lost }), ...insecure()],
        clock,
        ground.place(2),
      ),
    ]);
    await leaderUrl(urls);
  });

  it('6 the wrong URL of a peer', async () => {
    const { what, next } = await named(urls, 'wrong-url', 'member c');
    expect(what).toContain(`${lost} for member a`);
    expect(next).toContain(urls[0]);
  });

  it('13 a clock that is wrong', async () => {
    expect((await named(urls, 'clock', 'member c')).what).toMatch(/(8|9)\d\.\d s ahead/);
  });

  it('15 a slow disk', async () => {
    // Each change of leader is saved.
    for (let i = 0; i < 20; i++) {
      if (of(await diagnose(urls), 'slow-disk', 'member b') !== undefined) break;
      await post(`${await leaderUrl(urls)}/resign`);
    }
    expect((await named(urls, 'slow-disk', 'member b')).next).toContain('iostat');
  });

  it('16 an event loop that is blocked', async () => {
    expect((await named(urls, 'loop-blocked', 'member c')).what).toContain('the lease is 1.5 s');
  });

  it('22 a member without a data folder', async () => {
    await named(urls, 'no-data-folder', 'member c');
  });

  it('names all members of the cluster, although one is given', async () => {
    await named([urls[1]!], 'no-data-folder', 'member c');
  });

  it('19 a leader that changes again and again', async () => {
    for (let i = 0; i < 8; i++) await post(`${await leaderUrl(urls)}/resign`);
    expect((await named(urls, 'restless', 'election main')).what).toContain('resigned');
  });

  it('3 a port at which no member answers', async () => {
    const server = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await named([...urls, url], 'not-a-member', url)).next).toContain('ss -ltnp');
    server.close();
  });

  it('9 two processes under one id', async () => {
    const { host } = ground.listens[1]!;
    const port = ground.secondPort === 0 ? (await freePorts(1))[0] : ground.secondPort;
    const where = ['--id', 'b', '--peers', peers, '--listen', `${host}:${port}`, ...insecure()];
    const twin = await node(where, {}, ground.place(1));
    // Its URL is not known to any member: the others tell of it.
    await named(urls, 'same-id', 'member a');
    const { what } = await named([...urls, `http://${host}:${port}`], 'same-id', 'member b');
    // A process that is apart from others is the first one among its own.
    expect(what).toContain(`pid ${host === '127.0.0.1' ? twin.pid : 1}`);
    const gone = once(twin, 'exit');
    ground.place(1).signal(twin, 'SIGKILL');
    await gone;
  });

  it('17 and 18 a removed member that runs, and members that are configured with it', async () => {
    await until('c is removed', async () => {
      const said = await post(`${await leaderUrl(urls)}/members/remove`, { voterId: 'c' });
      // A request that is answered too late may have removed it.
      return said.ok || said.text.includes('c is not a member') ? null : said.text;
    });
    expect((await named(urls, 'removed', 'member c')).what).toContain('(a and b)');
    const { what, next } = await named(urls, 'membership', 'members a and b');
    expect(what).toContain(
      'are configured with a, b and c, but the members of the election main are a and b',
    );
    expect(next).toContain('take c out of the peers');
  });

  it('14 a full disk', async () => {
    writeFileSync(full, '');
    await until('b is ill', async () => {
      const findings = await diagnose(urls);
      const found = of(findings, 'ill', 'member b');
      if (found?.what.includes('ENOSPC')) return null;
      // Each change of leader is saved.
      if (of(findings, 'no-leader', 'election main') === undefined)
        await post(`${await leaderUrl(urls)}/resign`);
      return JSON.stringify(findings, null, 1);
    });
    rmSync(full);
  });

  it('2 a process that is stopped, by the command itself', async () => {
    ground.place(1).signal(members.b!, 'SIGSTOP');
    await named([urls[0]!], 'member-stopped', 'member b');
    const { code, stdout } = await caucus(['doctor', urls[0]!]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM {3}member b: does not answer, although connections to/m);
    expect(stdout).toMatch(/kill\s+-CONT PID/);
    ground.place(1).signal(members.b!, 'SIGCONT');
  });

  it('1 and 4 a process that is dead, and so no majority', async () => {
    const gone = once(members.b!, 'exit');
    ground.place(1).signal(members.b!, 'SIGKILL');
    await gone;
    await named(urls, 'member-down', 'member b');
    expect((await named(urls, 'no-majority', 'election main')).what).toContain(
      '1 of 2 members answers, 2 are needed',
    );
    const { code, stdout } = await caucus(['doctor', '--json', urls[0]!]);
    expect(code).toBe(1);
    const kinds = JSON.parse(stdout).findings.map(({ kind }: Finding) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['member-down', 'no-majority']));
  });
});

describe('members that do not fit each other', () => {
  let urls: string[];

  beforeAll(async () => {
    const found = placesOf(3, 8);
    ({ urls } = found);
    const secret = path.join(folder, 'secret');
    const wrong = path.join(folder, 'wrong-secret');
    writeFileSync(secret, 'one-secret-of-the-cluster\n', { mode: 0o600 });
    writeFileSync(wrong, 'another-secret-of-another\n', { mode: 0o600 });
    const of = (id: string, file: string, ...more: string[]): Promise<ChildProcess> =>
      node(
        ['--id', id, '--peers', found.peersOf(), '--secret-file', file, ...more],
        {},
        ground.place(3 + 'abcde'.indexOf(id)),
      );
    await Promise.all([
      of('a', secret),
      of('b', secret),
      of('c', wrong),
      of('d', secret, '--cluster', 'other'),
      of('e', secret, '--timing', 'timeoutMs=[400,800]'),
    ]);
  });

  it('7 other settings', async () => {
    expect((await named(urls, 'other-settings', 'member e')).what).toContain(
      'timeoutMs [400,800], not [1800,3000]',
    );
  });

  it('8 another cluster', async () => {
    expect((await named(urls, 'other-cluster', 'member d')).next).toContain('--cluster caucus');
  });

  it('10 another secret, of which only the fingerprint is told', async () => {
    const { what } = await named(urls, 'other-secret', 'member c');
    expect(what).toMatch(/fingerprint [0-9a-f]{8}/);
    const told = await Promise.all(urls.map(async (url) => (await fetch(`${url}/diagnosis`)).text()));
    expect(told.join()).not.toMatch(/one-secret|another-secret/);
  });
});

describe('members that are apart', () => {
  let urls: string[];
  const proxies: TcpProxy[] = [];

  /** Something between a and b carries questions and no links; both reach c. */
  beforeAll(async () => {
    const found = await addresses(3);
    ({ urls } = found);
    for (const url of urls.slice(0, 2)) proxies.push(await startTcpProxy(url));
    for (const proxy of proxies) proxy.hold('/link');
    const [a, b] = proxies.map(({ url }) => url);
    const of = (id: string, peers: string, ...more: string[]): Promise<ChildProcess> =>
      node(['--id', id, '--peers', peers, '--priority', '0', ...more]);
    await Promise.all([
      of('a', found.peersOf({ b }), '--listen', new URL(urls[0]!).host),
      of('b', found.peersOf({ a }), '--listen', new URL(urls[1]!).host),
      of('c', found.peersOf()),
    ]);
  });

  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  it('5 a link that is cut although both answer', async () => {
    const { what } = await named(urls, 'link', 'members a and b');
    expect(what).toContain('are not connected to each other');
  });

  it('23 an election without a candidate', async () => {
    await named(urls, 'no-candidate', 'election main');
  });
});

describe('a member alone', () => {
  it('11 and 21 a certificate that ends soon, and no other member', async () => {
    const ca = await TestCa.open();
    const { cert, key, ca: caFile } = await ca.member('a', { untilMs: Date.now() + 10 * DAY_MS });
    const [port] = await freePorts(1);
    const url = `https://127.0.0.1:${port}`;
    const tls = ['--tls-cert', cert, '--tls-key', key, '--tls-ca', caFile];
    await node(['--id', 'a', '--peers', `a=${url}`, ...tls]);
    const { what } = await named([url], 'certificate', 'member a', ca.own.cert);
    expect(what).toMatch(/expires in (9|10) days/);
    await named([url], 'member-count', 'the cluster', ca.own.cert);
    await until('warnings are no problem', async () => {
      const { code, stdout } = await caucus(['doctor', '--tls-ca', caFile, url]);
      // On a busy machine it may be late, or have no leader yet.
      if (stdout.includes('PROBLEM')) return stdout;
      expect(stdout).toMatch(/^WARNING {3}member a: its certificate expires in/m);
      expect(stdout).toContain('no problem found in: members, leaders,');
      expect(code).toBe(0);
      return null;
    });
    ca.close();
  });

  it('is not there', async () => {
    const [port] = await freePorts(1);
    const { code, stdout } = await caucus(['doctor', `127.0.0.1:${port}`]);
    expect(code).toBe(1);
    expect(stdout).toContain(`PROBLEM   http://127.0.0.1:${port}: does not run`);
  });
});

/** Members that are not on the loopback start only with this, or a secret. */
function insecure(): readonly string[] {
  return ground.options.insecure === true ? ['--insecure'] : [];
}

/** The URL of the member that leads now. */
async function leaderUrl(urls: readonly string[]): Promise<string> {
  let found: string | undefined;
  await until('a leader', async () => {
    for (const url of urls) {
      const { acting } = (await (await fetch(`${url}/status`)).json()) as { acting: boolean };
      if (acting) found = url;
    }
    return found === undefined ? 'there is none' : null;
  });
  return found!;
}
