/** The command on a store, as it was built. `local:` is a store that every machine has. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { local } from '../../src/engines/local/index.ts';
import { caucus, end, start } from './caucus.ts';

let folder: string;
let url: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-engine-'));
  url = `local:${folder}`;
});

afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const on = (...more: string[]): string[] => ['--engine', url, '--election', 'job', ...more];

describe('caucus with --engine', () => {
  it('run: runs a command while it leads, with its token, and ends with its code', async () => {
    const script = 'echo "$CAUCUS_MEMBER leads $CAUCUS_ELECTION with $CAUCUS_TOKEN"; exit 7';
    const { code, stdout } = await caucus(['run', ...on('--id', 'p'), '--', 'sh', '-c', script]);
    expect(stdout).toBe('p leads job with 1\n');
    expect(code).toBe(7);
  });

  it('run: when it is killed with -9, the next one runs its command', async () => {
    const first = start(['run', ...on('--id', 'first'), '--', 'sh', '-c', 'echo begun; sleep 600']);
    await once(createInterface({ input: first.stdout! }), 'line');
    const second = start(['run', ...on('--id', 'second'), '--', 'sh', '-c', 'echo $CAUCUS_TOKEN']);
    const ended = end(second);
    first.kill('SIGKILL');
    expect(await ended).toMatchObject({ code: 0, stdout: '2\n' });
  });

  it('leader, status, value and watch: look and do not stand', async () => {
    expect(await caucus(['leader', ...on()])).toMatchObject({ code: 1, stdout: '' });
    const engine = local(url, { name: 'somebody' });
    const election = new Election('job', engine);
    const leadership = await election.campaign();
    await leadership.publish({ at: 'here' });
    expect(await caucus(['leader', ...on()])).toMatchObject({ code: 0, stdout: 'somebody\n' });
    const { stdout } = await caucus(['status', ...on('--json')]);
    expect(JSON.parse(stdout)).toMatchObject({ electionName: 'job', leader: 'somebody', token: '1' });
    expect(await caucus(['value', ...on()])).toMatchObject({ code: 0, stdout: '{"at":"here"}\n' });
    const watching = start(['watch', ...on('--json')]);
    const lines = createInterface({ input: watching.stdout! })[Symbol.asyncIterator]();
    const next = async (leader: string | null): Promise<void> => {
      for (;;) {
        const { value } = await lines.next();
        if (JSON.parse(value).leader === leader) return;
      }
    };
    await next('somebody');
    await leadership.resign();
    await election.close();
    await engine.close();
    await next(null);
    watching.kill('SIGINT');
    const [code] = (await once(watching, 'exit')) as [number | null];
    expect(code).toBe(0);
  });

  it('node: answers over HTTP as a member does, and steps down at Ctrl-C', async () => {
    const node = start(['node', ...on('--id', 'n', '--json')]);
    const lines = createInterface({ input: node.stdout! })[Symbol.asyncIterator]();
    const entry = async (event: string): Promise<{ url: string }> => {
      for (;;) {
        const found = JSON.parse((await lines.next()).value);
        if (found.event === event) return found;
      }
    };
    const { url: at } = await entry('ready');
    await entry('acting');
    for (const [place, status] of [
      ['leader', 200],
      ['primary', 200],
      ['replica', 503],
      ['health', 200],
      ['readiness', 200],
      ['nothing', 404],
    ] as const) {
      expect((await fetch(`${at}/${place}`)).status, place).toBe(status);
    }
    expect(await (await fetch(`${at}/status`)).json()).toMatchObject({
      leader: 'n',
      token: '1',
      acting: true,
    });
    const put = await fetch(`${at}/value`, { method: 'PUT', body: '{"value":5}', headers: JSON_BODY });
    expect(put.status).toBe(200);
    expect(await caucus(['value', ...on()])).toMatchObject({ stdout: '5\n' });
    const resigned = await fetch(`${at}/resign`, { method: 'POST', body: '{}', headers: JSON_BODY });
    expect(resigned.status).toBe(200);
    node.kill('SIGINT');
    const [code] = (await once(node, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(await caucus(['leader', ...on()])).toMatchObject({ code: 1 });
  });

  it.each([
    [['leader', '--engine', 'mysql://u:ge@he/im@x'], /, found mysql:\/\/\*\*\*@x$/m],
    [['leader', '--engine', 'mysql://x'], /^caucus: engine: expected a URL that begins with one of etcd:, /],
    [['leader', '--engine', 'local:', 'http://127.0.0.1:1'], /^caucus: URL: expected none beside --engine/],
    [
      ['run', '--engine', 'local:', '--peers', 'a=http://x', '--', 'true'],
      /^caucus: --peers: expected none beside --engine/,
    ],
    [['node', '--engine', 'local:', '--listen', '0.0.0.0:1'], /--insecure/],
    [
      ['run', '--engine', 'etcd://h', '--lease', '1', '--', 'true'],
      /^caucus: leaseMs: expected at least 2000/,
    ],
    [
      ['run', '--engine', 'local:', '--lease', '5', '--', 'true'],
      /^caucus: leaseMs: expected none with local:/,
    ],
    [['run', '--lease', '5', '--', 'true'], /^caucus: --lease: expected --engine beside it/],
    [['node', '--lease', '5'], /^caucus: --lease: expected --engine beside it/],
    [['run', '--engine', 'local:', '--lease', 'x', '--', 'true'], /^caucus: --lease: expected a number/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await caucus(args);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('says that a store cannot be reached, without its password', async () => {
    const { code, stderr } = await caucus(['leader', '--engine', 'postgres://u:geheim@127.0.0.1:1/d']);
    expect(stderr).toMatch(/cannot be reached/);
    expect(stderr).not.toContain('geheim');
    expect(code).toBe(1);
  });
});

const JSON_BODY = { 'content-type': 'application/json' };
