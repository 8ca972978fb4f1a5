/** `caucus doctor --config`: what is wrong with a member before it is started. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/cli/commands/doctor/config/check-config.ts';
import type { Examined } from '../../src/cli/commands/doctor/examine.ts';
import { join, type Member } from '../../src/member/index.ts';
import { freePorts } from '../support/free-ports.ts';
import { TestCa } from '../support/test-ca.ts';
import { caucus } from './caucus.ts';

const DAY_MS = 86_400_000;
let folder: string;
let ca: TestCa;
let files = 0;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-doctor-'));
  ca = await TestCa.open();
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

afterAll(() => {
  ca.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(text: string, mode = 0o600): string {
  const file = path.join(folder, `${++files}.json`);
  writeFileSync(file, text, { mode });
  return file;
}

const check = (config: object): Promise<Examined> => checkConfig(write(JSON.stringify(config)), {});
const kinds = async (config: object): Promise<string[]> =>
  (await check(config)).findings.map(({ kind }) => kind);

/** The configuration of member a of three, on free ports. */
async function sound(scheme = 'http'): Promise<{
  readonly id: string;
  readonly peers: Record<string, string>;
  readonly data: string;
}> {
  const ports = await freePorts(3);
  const peers = ['a', 'b', 'c'].map((id, i) => [id, `${scheme}://127.0.0.1:${ports[i]}`]);
  return { id: 'a', peers: Object.fromEntries(peers), data: path.join(folder, `data-${++files}`) };
}

async function member(config: Awaited<ReturnType<typeof sound>>): Promise<Member> {
  const peers = Object.entries(config.peers).map(([id, url]) => ({ id, url }));
  const started = await join({ ...config, peers });
  open.push(started);
  return started;
}

describe('caucus doctor --config', () => {
  it('finds nothing in a sound one', async () => {
    const { findings, sound: areas, unchecked } = await check(await sound());
    expect(findings).toEqual([]);
    expect(unchecked).toEqual([]);
    expect(areas).toEqual(['settings', 'peers', 'port and data folder', 'certificates', 'host names']);
  });

  it('refuses a file that is not there, and finds one that does not parse', async () => {
    const none = await caucus(['doctor', '--config', path.join(folder, 'none.json')]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });
    const both = await caucus(['doctor', '--config', write('{}'), 'http://127.0.0.1:1']);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') });
    const { code, stdout } = await caucus(['doctor', '--config', write('{ "id": ')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM {3}the configuration: a member cannot start with it:\s+.*: line 1/);
  });

  it('finds an id that is not among the peers, none at all, and one whose URL is that of another', async () => {
    const config = await sound();
    expect(await kinds({ ...config, id: 'd' })).toContain('config');
    expect(await kinds({ ...config, id: undefined })).toContain('no-id');
    expect(await kinds({ ...config, id: 'd', url: config.peers.b })).toContain('wrong-id');
  });

  it('finds two peers with one URL, and a number of members that survives nothing', async () => {
    const { peers, ...config } = await sound();
    expect(await kinds({ ...config, peers: { ...peers, c: `${peers.b}/` } })).toContain('same-url');
    expect(await kinds({ ...config, peers: { a: peers.a, b: peers.b } })).toEqual(['member-count']);
    const [port] = await freePorts(1);
    expect(await kinds({ ...config, peers: { ...peers, d: `http://127.0.0.1:${port}` } })).toEqual([
      'member-count',
    ]);
    expect(await kinds({ ...config, protocol: 'ring', peers: { a: peers.a, b: peers.b } })).toEqual([]);
  });

  it('finds settings that cannot work', async () => {
    expect(await kinds({ ...(await sound()), timing: { heartbeatMs: 5000 } })).toEqual(['settings']);
  });

  it('finds a port that another program or member has, and not the member itself', async () => {
    const config = await sound();
    const port = Number(new URL(config.peers.a!).port);
    const server: Server = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect((server.address() as AddressInfo).port).toBe(port);
    const { findings } = await check(config);
    expect(findings).toMatchObject([{ kind: 'port', what: expect.stringContaining('no member') }]);
    await new Promise((resolve) => server.close(resolve));
    await member(config);
    expect(await kinds(config)).toEqual([]);
    const { findings: taken } = await check({ ...config, cluster: 'other', data: `${config.data}-2` });
    expect(taken).toMatchObject([
      { kind: 'port', what: expect.stringContaining('member a of the cluster caucus') },
    ]);
  });

  it('finds a data folder that is none, locked, or of another member', async () => {
    const config = await sound();
    expect(await kinds({ ...config, data: write('') })).toEqual(['data-folder']);
    const started = await member(config);
    const [port] = await freePorts(1);
    const elsewhere = { ...config, listen: `127.0.0.1:${port}` };
    const { findings } = await check(elsewhere);
    expect(findings).toMatchObject([
      { kind: 'data-folder-locked', what: `is used by process ${process.pid}` },
    ]);
    await started.close();
    expect(await kinds(elsewhere)).toEqual([]);
    const other = await check({ ...elsewhere, id: 'b' });
    expect(other.findings).toMatchObject([{ kind: 'data-folder', what: expect.stringContaining('"a"') }]);
  });

  it('leaves a folder as it was', async () => {
    const config = await sound();
    mkdirSync(config.data);
    expect(await kinds(config)).toEqual([]);
    const first = await member(config);
    await first.close();
    expect(await kinds(config)).toEqual([]);
    const second = await member(config);
    expect(second.incarnation).toBe(first.incarnation + 1);
  });

  it('finds secret and token files that others may read', async () => {
    const config = await sound();
    const secretFile = write('a-secret-of-many-characters', 0o644);
    const { findings } = await check({ ...config, secretFile });
    expect(findings[0]!.what).toContain(`chmod 600 ${secretFile}`);
    expect(JSON.stringify(findings)).not.toContain('a-secret-of-many');
    const tokensFile = write('x operate y', 0o644);
    expect((await check({ ...config, tokensFile })).findings[0]!.what).toContain(`chmod 600 ${tokensFile}`);
  });

  it('finds certificates of another member, expired, expiring, and for another host', async () => {
    const config = await sound('https');
    const using = async (id: string, unusual = {}): Promise<Examined> => {
      const { cert, key, ca: caFile } = await ca.member(id, unusual);
      return check({ ...config, tlsCert: cert, tlsKey: key, tlsCa: caFile });
    };
    expect((await using('a')).findings).toEqual([]);
    expect((await using('b')).findings).toMatchObject([
      { kind: 'certificate', severity: 'problem', what: expect.stringContaining('that of member b') },
    ]);
    const nowMs = Date.now();
    expect(
      (await using('a', { fromMs: nowMs - 2 * DAY_MS, untilMs: nowMs - DAY_MS })).findings,
    ).toMatchObject([{ kind: 'certificate', severity: 'problem', what: expect.stringContaining('expired') }]);
    expect((await using('a', { untilMs: nowMs + 5 * DAY_MS })).findings).toMatchObject([
      { kind: 'certificate', severity: 'warning' },
    ]);
    expect((await using('a', { addresses: ['10.9.8.7'] })).findings).toMatchObject([
      { kind: 'certificate-host', severity: 'warning' },
    ]);
  });

  it('finds names of hosts that cannot be looked up', async () => {
    const { peers, ...config } = await sound();
    const { findings } = await check({
      ...config,
      peers: { ...peers, c: 'http://no-such-host.invalid:7101' },
    });
    expect(findings).toMatchObject([{ kind: 'host-name', subject: 'no-such-host.invalid' }]);
  });
});
