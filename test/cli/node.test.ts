/** `caucus node` as it was built: its configuration, and one member that really runs. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromEnvironment } from '../../src/cli/input/config/environment.ts';
import { fieldLines } from '../../src/cli/input/config/field-lines.ts';
import { readMemberConfig } from '../../src/cli/input/config/member-config.ts';
import { seedTimes } from '../../src/cli/input/config/seed-times.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { caucus, start } from './caucus.ts';

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-node-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function write(text: string): string {
  const file = path.join(folder, 'member.json');
  writeFileSync(file, text);
  return file;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
type Printed = any;

/** Starts a node, and waits for its log to tell things. */
function node(...args: string[]): { child: ChildProcess; seen(event: string): Promise<Printed> } {
  const child = start(['node', '--json', ...args]);
  children.push(child);
  const entries: Printed[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    entries.push(JSON.parse(line));
    for (const look of [...waiting]) look();
  });
  const seen = (event: string): Promise<Printed> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = entries.find((entry) => entry.event === event);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { child, seen };
}

describe('the configuration of a member', () => {
  it('takes flags before the environment, and that before the file, and says from where', async () => {
    const file = write(
      '{\n  "id": "from-file",\n  "cluster": "north",\n  "peers": { "b": "http://127.0.0.1:2" },\n  "timing": { "heartbeatMs": 60 }\n}',
    );
    const { settings, timing, origins } = await readMemberConfig(
      { config: file, priority: '3' },
      { VOTER_ID: 'from-env', VOTER_LIST: '' },
    );
    expect(settings).toMatchObject({ id: 'from-env', cluster: 'north', priority: 3, election: 'main' });
    expect(timing).toEqual({ heartbeatMs: 60 });
    const from = Object.fromEntries(origins.map(({ field, from: where }) => [field, where]));
    expect(from).toMatchObject({
      id: 'VOTER_ID',
      priority: '--priority',
      cluster: `${file} line 3`,
      'timing.heartbeatMs': `${file} line 5`,
      protocol: 'default',
    });
  });

  it('turns the times of seed 002 into those of every protocol, which accepts them', () => {
    const env = { HEARTBEAT_INTERVAL: '2', MISSED_HEARTBEAT_TOLERANCE: '3' };
    for (const definition of Object.values(catalogue)) {
      const times = seedTimes([fromEnvironment(env)], definition);
      expect(times.get('timing.heartbeatMs')!.value).toBe(2000);
      const tolerance = times.get('options.missedHeartbeatTolerance') ?? times.get('timing.timeoutMs');
      expect(tolerance!.value).toEqual(definition.options.missedHeartbeatTolerance ? 3 : [10_000, 20_000]);
    }
  });

  it('knows the line of every field', () => {
    const lines = fieldLines('{\n"a": 1,\n"b": [\n{ "c": "}\\"" },\n{\n"c": 2 } ],\n"d": {} }');
    expect(Object.fromEntries(lines)).toEqual({
      a: 2,
      b: 3,
      'b[0]': 4,
      'b[0].c': 4,
      'b[1]': 5,
      'b[1].c': 6,
      d: 7,
    });
  });

  it.each([
    ['{\n  "id": }', 'not JSON: line 2, column 9: expected a value, found "}"'],
    ['{\n  "peer": {} }', 'line 2: peer: expected one of the fields id, cluster,'],
    [
      '{ "id": "a",\n  "peers": [\n    { "id": "b",\n      "url": "b:7101" }] }',
      'line 4: peers[0].url: expected a URL that begins',
    ],
    ['{ "timing": {\n  "heartbeatMs": "soon" } }', 'line 2: timing.heartbeatMs: expected milliseconds'],
    ['{ "listen": "127.0.0.1:70000" }', 'line 1: listen: expected HOST:PORT'],
    ['{ "priority": -1 }', 'line 1: priority: expected a whole number from 0 to 1000, found -1'],
  ])('tells the place of a fault: %s', async (text, message) => {
    await expect(readMemberConfig({ config: write(text) }, {})).rejects.toThrow(message);
  });

  it.each([
    [['--listen', 'nowhere'], '--listen: expected HOST:PORT'],
    [['--peers', 'a'], '--peers: expected ID=URL, separated by commas, found "a"'],
    [['--peers', 'a=http://x,a=http://y'], '--peers: expected each id once, found "a" again'],
    [
      ['--peers', 'a=http://u:pw@127.0.0.1:1'],
      '--peers: expected a URL like http://127.0.0.1:7101, without a user, ? and #, found "http://***@127.0.0.1:1"',
    ],
    [['--peers', 'a=http://127.0.0.1:1/x?'], '--peers: expected a URL like'],
    [
      ['--id', 'zzz', '--peers', 'a=http://127.0.0.1:1,b=http://127.0.0.1:2'],
      '--id: expected one of the peers (a, b), or --url or --listen with it, found "zzz"',
    ],
    [
      ['--id', 'a', '--peers', 'a=http://192.0.2.1:7501'],
      'listen: expected an address, and certificates (--tls-cert) or a secret (--secret-file) for all members, by which they authenticate, or --insecure, since http://192.0.2.1:7501 is not on the loopback',
    ],
    [['--id', 'a b'], '--id: expected an id'],
    [['--protocol', 'paxos'], '--protocol: expected one of'],
    [
      ['--option', 'preset=moon'],
      '--option preset: expected "steady" or "lan" or "wan" or "fast", found "moon"',
    ],
    [['--timing', 'heartbeatMs'], '--timing: expected name=value'],
    [['--config', '/nowhere.json'], '/nowhere.json: no such file or directory'],
  ])('refuses %j in one line', async (args, message) => {
    const { code, stderr } = await caucus(['node', ...args]);
    expect(code).toBe(2);
    expect(stderr.startsWith(`caucus: ${message}`), stderr).toBe(true);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  });

  it('prints what was understood', async () => {
    const { code, stdout } = await caucus([
      'node',
      '--print-config',
      '--id',
      '7',
      '--protocol',
      'draw',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: { value: '7', from: '--id' },
      protocol: { value: 'draw', from: '--protocol' },
      election: { value: 'main', from: 'default' },
    });
    // A lease of one to two seconds: a process that is busy for a moment keeps the leadership.
    expect((await caucus(['node', '--print-config'])).stdout).toMatch(/^timing\.leaseMs +1500 +follows/m);
    const peers = 'a=http://127.0.0.1:7101,b=http://127.0.0.1:7102';
    const steady = ['--id', 'a', '--peers', peers, '--timing', 'timeoutMs=[1500,3000]'];
    const text = (await caucus(['node', '--print-config', ...steady])).stdout;
    expect(text).toMatch(/^id +"a" +--id$/m);
    expect(text).toMatch(/^priority +1 +default$/m);
    expect(text).toMatch(/^url +"http:\/\/127\.0\.0\.1:7101" +its entry among the peers$/m);
    expect(text).toMatch(/^timing\.leaseMs +1250 +follows from the rest$/m);
    expect(text).toMatch(/^options\.preset +"steady" +default$/m);
  });

  it('names the flag that is missing to listen beyond the loopback', async () => {
    const { code, stderr } = await caucus(['node', '--listen', '0.0.0.0:0']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^caucus: --listen: expected a loopback address, or certificates .*--tls-cert.*--secret-file.* or --insecure, .*"0\.0\.0\.0"\n$/,
    );
  });
});

describe('caucus node', () => {
  it('leads alone, answers over HTTP, and leaves on SIGTERM with code 0', async () => {
    const { child, seen } = node('--id', 'a', '--data', path.join(folder, 'a'));
    const { url, pid } = await seen('ready');
    expect(pid).toBe(child.pid);
    await seen('acting');
    expect((await fetch(`${url}/leader`)).status).toBe(200);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await seen('stopped');
    expect(await ended).toBe(0);
  });

  it('takes --new from old scripts, says that it does nothing, and leads all the same', async () => {
    const { child, seen } = node('--id', 'a', '--new', '--data', path.join(folder, 'a'));
    const note = await seen('note');
    expect(note).toMatchObject({ level: 'warn', text: '--new is no longer needed and is ignored' });
    await seen('acting');
    child.kill('SIGTERM');
    await seen('stopped');
    expect((await caucus(['help', 'node'])).stdout).toMatch(/--new +ignored, kept for old scripts/);
  });

  it('never leads with priority 0', async () => {
    const { child, seen } = node('--id', 'a', '--priority', '0');
    const { url } = await seen('ready');
    const asked = await fetch(`${url}/election/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(asked.status).toBe(409);
    expect((await fetch(`${url}/leader`)).status).toBe(503);
    child.kill('SIGINT');
    await seen('stopped');
  });

  it('says why it cannot listen, with code 1, and listens beyond the loopback only if told so', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const taken = await caucus(['node', '--id', 'a', '--listen', `127.0.0.1:${port}`]);
    server.close();
    expect(taken).toMatchObject({ code: 1 });
    expect(taken.stdout).toContain(`cannot listen on 127.0.0.1:${port}`);
    const open = await caucus(['node', '--id', 'a', '--listen', '0.0.0.0:0']);
    expect(open.code).toBe(2);
    expect(open.stderr).toMatch(/^caucus: .*insecure.*\n$/);
  });
});
