/** The command on a store, as it was built. `local:` is a store that every machine has. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Election } from '../../src/election/index.ts';
import { local } from '../../src/engines/local/index.ts';
import { hasRedis, RedisServer } from '../support/servers/redis.ts';
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
    expect(stdout).toMatch(/^p leads job with \d+\n$/);
    expect(code).toBe(7);
  });

  it('run: when it is killed with -9, the next one runs its command', async () => {
    const first = start(['run', ...on('--id', 'first'), '--', 'sh', '-c', 'echo $CAUCUS_TOKEN; sleep 600']);
    const [token] = await once(createInterface({ input: first.stdout! }), 'line');
    const second = start(['run', ...on('--id', 'second'), '--', 'sh', '-c', 'echo $CAUCUS_TOKEN']);
    const ended = end(second);
    first.kill('SIGKILL');
    expect(await ended).toMatchObject({ code: 0, stdout: `${BigInt(token) + 1n}\n` });
  });

  it('leader, status, value and watch: look and do not stand', async () => {
    expect(await caucus(['leader', ...on()])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'caucus: no leader\n',
    });
    const engine = local(url, { name: 'somebody' });
    const election = new Election('job', engine);
    const leadership = await election.campaign();
    expect(await caucus(['value', ...on()])).toMatchObject({ code: 0, stdout: 'null\n' });
    await leadership.publish({ at: 'here' });
    expect(await caucus(['leader', ...on()])).toMatchObject({ code: 0, stdout: 'somebody\n' });
    const { stdout } = await caucus(['status', ...on('--json')]);
    expect(JSON.parse(stdout)).toMatchObject({
      electionName: 'job',
      leader: 'somebody',
      token: `${leadership.token}`,
    });
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

  it('resign: the leader stops its work, another runs its own, and it says who leads now', async () => {
    const script =
      'trap "echo stopped in order; exit" TERM; echo $CAUCUS_MEMBER; while :; do sleep 0.05; done';
    const [first, second] = ['first', 'second'].map((id) =>
      start(['run', ...on('--id', id), '--', 'sh', '-c', script]),
    ) as [ChildProcess, ChildProcess];
    const lines: string[] = [];
    const begun = [first, second].map((each) => {
      const output = createInterface({ input: each.stdout! });
      output.on('line', (line) => lines.push(line));
      return once(output, 'line');
    });
    const there = [first, second].map((each) => once(createInterface({ input: each.stderr! }), 'line'));
    for (const [line] of await Promise.all(there)) expect(line).toContain('takes part');
    const [before] = (await Promise.race(begun)) as [string];
    const after = before === 'first' ? 'second' : 'first';
    const { code, stdout } = await caucus(['resign', ...on('--reason', 'the node is drained')]);
    const token = BigInt(/token (\d+)/.exec(stdout)![1]!);
    expect(stdout).toBe(
      `${before} (token ${token}) no longer leads; ${after} (token ${token + 1n}) leads now\n`,
    );
    expect(code).toBe(0);
    await Promise.all(begun);
    expect(lines).toEqual([before, 'stopped in order', after]);
    const { stdout: json } = await caucus(['resign', ...on('--json')]);
    expect(JSON.parse(json)).toEqual({
      electionName: 'job',
      before: { name: after, token: `${token + 1n}` },
      leader: { name: before, token: `${token + 2n}` },
    });
    await Promise.all(
      [first, second].map(async (each) => {
        each.kill('SIGINT');
        await once(each, 'exit');
      }),
    );
  });

  it('resign: says that nobody leads, and that whoever leads does not answer', async () => {
    expect(await caucus(['resign', ...on()])).toMatchObject({
      code: 1,
      stderr: 'caucus: there is no leader\n',
    });
    const engine = local(url, { name: 'busy' });
    const election = new Election('job', engine);
    const leadership = await election.campaign(); // Whose work does not stop when its signal is aborted.
    const { code, stderr } = await caucus(['resign', ...on('--wait', '0.2', '--reason', 'please')]);
    expect(stderr).toMatch(/^caucus: busy did not resign within 0\.2 s: /);
    expect(code).toBe(1);
    expect(leadership.signal.reason).toMatchObject({
      cause: 'resigned',
      detail: 'its resignation was requested: please',
    });
    await leadership.resign();
    await engine.close();
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
      token: expect.stringMatching(/^\d+$/),
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

  it('names the flag, where its option has another name', async () => {
    expect(await caucus(['node', '--engine', 'local:', '--lease', '0'])).toMatchObject({
      code: 2,
      stderr: 'caucus: --lease (leaseMs): expected none with local:, whose leases do not expire, found 0\n',
    });
  });

  it.each([
    [['leader', '--engine', 'mysql://u:ge@he/im@x'], /, found mysql:\/\/\*\*\*@x$/m],
    [['node', '--engine', 'REDIS://u:geheim@x'], /, found REDIS:\/\/\*\*\*@x$/m],
    [['node', '--engine', 'redis://x?password=geheim', '--print-config'], /, found "redis:\/\/x\?\*\*\*"$/m],
    [['run', '--engine', 'redis://u:geheim', '--', 'true'], /, found "redis:\/\/\*\*\*"$/m],
    [['status', 'redis://u:geheim@x'], /^caucus: URL: expected .*--engine .*, found redis:\/\/\*\*\*@x$/m],
    [['status', 'u:geheim'], /^caucus: URL: expected .*, found u:\*\*\*$/m],
    [['status', '127.0.0.1:99999'], /^caucus: URL: expected .*, found "127\.0\.0\.1:99999"$/m],
    [['status', 'http://u:geheim@x'], /^caucus: URL: expected .*, found http:\/\/\*\*\*@x$/m],
    [
      ['leader', '--engine', 'local:', '--engine-option', 'token:geheim'],
      /^caucus: --engine-option: expected/,
    ],
    [
      ['leader', '--engine', 'mysql://x'],
      /^caucus: --engine: expected a URL that begins with one of etcd:, /,
    ],
    [['leader', '--engine', 'nats://'], /^caucus: --engine: expected nats:\/\/.*, found "nats:\/\/"$/m],
    [['leader', '--engine', 'local:', 'http://127.0.0.1:1'], /^caucus: URL: expected none beside --engine/],
    [
      ['run', '--engine', 'local:', '--peers', 'a=http://x', '--', 'true'],
      /^caucus: --peers: expected none beside --engine/,
    ],
    [['node', '--engine', 'local:', '--listen', '0.0.0.0:1'], /--insecure/],
    [
      ['run', '--engine', 'etcd://h', '--lease', '1', '--', 'true'],
      /^caucus: --lease \(leaseMs\): expected at least 2000/,
    ],
    [
      ['run', '--engine', 'local:', '--lease', '5', '--', 'true'],
      /^caucus: --lease \(leaseMs\): expected none with local:/,
    ],
    [
      ['value', '--engine', 'local:', '--set', '1'],
      /^caucus: --set: expected none beside --engine: only the process that leads/,
    ],
    [
      ['run', '--engine', 'local:', '--listen', '127.0.0.1:0', '--', 'true'],
      /^caucus: --listen: expected none/,
    ],
    [['run', '--engine', 'local:', '--insecure', '--', 'true'], /^caucus: --insecure: expected none beside/],
    [['leader', '--engine-option', 'a=1'], /^caucus: --engine-option: expected --engine beside it/],
    [
      ['leader', '--engine', 'local:', '--engine-option', 'a'],
      /^caucus: --engine-option: expected name=value/,
    ],
    [
      ['node', '--engine', 'local:', '--engine-option', 'foo=1'],
      /^caucus: --engine-option foo: expected one of the fields/,
    ],
    [
      ['run', '--engine', 'local:', '--id', 'a', '--engine-option', 'name=b', '--', 'true'],
      /^caucus: --engine-option name: expected it or --id, found both/,
    ],
    [['resign', '--reason', 'x'], /^caucus: --reason: expected --engine beside it/],
    [['resign', '--wait', '5'], /^caucus: --wait: expected --engine beside it/],
    [['resign', '--engine', 'local:', '--wait', 'x'], /^caucus: --wait: expected a number/],
    [['run', '--lease', '5', '--', 'true'], /^caucus: --lease: expected --engine beside it/],
    [['node', '--lease', '5'], /^caucus: --lease: expected --engine beside it/],
    [['run', '--engine', 'local:', '--lease', 'x', '--', 'true'], /^caucus: --lease: expected a number/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await caucus(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('geheim');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('says that a store does not serve us, without its password', async () => {
    const { code, stderr } = await caucus(['leader', '--engine', 'postgres://u:geheim@127.0.0.1:1/d']);
    expect(stderr).toBe('caucus: PostgreSQL is unavailable: no server listens at 127.0.0.1:1\n');
    expect(code).toBe(1);
  });

  it('run: says once why it is not elected, and again when it gives up', async () => {
    const at = ['--engine', 'postgres://u:geheim@127.0.0.1:1/d', '--timeout', '1.5'];
    const { code, stderr } = await caucus(['run', ...at, '--', 'true']);
    const lines = stderr.trim().split('\n');
    const why = 'PostgreSQL is unavailable: no server listens at 127.0.0.1:1';
    expect(lines.slice(2).map((line) => line.replace(/^\S+ /, ''))).toEqual([
      `error ${why}`,
      `error not elected within 1.5 s: ${why}`,
    ]);
    expect(code).toBe(1);
  });

  it('run: says who leads when it gives up', async () => {
    await using engine = local(url, { name: 'somebody' });
    await new Election('job', engine).campaign();
    const { stderr } = await caucus(['run', ...on('--timeout', '1'), '--', 'true']);
    expect(stderr).toMatch(/ not elected within 1 s: somebody leads$/m);
  });

  it.runIf(hasRedis())('run: names the store that stands still under a running command', async () => {
    const server = await RedisServer.start();
    const running = start(['run', '--engine', server.url, '--lease', '1', '--', 'sleep', '600']);
    const lines = createInterface({ input: running.stderr! })[Symbol.asyncIterator]();
    const found = async (text: RegExp): Promise<void> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`it never said ${text}`);
        if (text.test(value)) return;
      }
    };
    const exited = once(running, 'exit');
    try {
      await found(/ starting sleep$/);
      server.pause();
      await found(/the leadership is over \((the store has not|Redis did not) renewed? it in time/);
      await found(/ error Redis is unavailable: /);
      server.resume();
      await found(/ info {2}well again$/);
    } finally {
      running.kill('SIGINT');
      await exited;
      await server.close();
    }
  });

  it('node: prints what it has understood, from where, and does not run', async () => {
    const args = ['--engine', 'redis://u:geheim@h', '--lease', '5', '--engine-option', 'keyPrefix=jobs:'];
    const child = start(['node', ...args, '--print-config', '--json'], undefined, { VOTER_ID: 'zed' });
    const { code, stdout } = await end(child);
    expect(JSON.parse(stdout)).toEqual({
      engine: { value: 'redis://***@h', from: '--engine' },
      election: { value: 'main', from: 'default' },
      listen: { value: '127.0.0.1:0', from: 'default' },
      closed: { value: false, from: 'default' },
      name: { value: 'zed', from: 'VOTER_ID' },
      leaseMs: { value: 5000, from: '--lease' },
      keyPrefix: { value: 'jobs:', from: '--engine-option keyPrefix' },
    });
    expect(code).toBe(0);
  });

  it('node and run: take a name from the environment, and refuse what is about members', async () => {
    const script = ['--', 'sh', '-c', 'echo $CAUCUS_MEMBER'];
    const named = await end(start(['run', ...on(), ...script], undefined, { VOTER_ID: 'zed' }));
    expect(named.stdout).toBe('zed\n');
    const list = { VOTER_LIST: 'a=http://127.0.0.1:1' };
    for (const command of [
      ['node', ...on()],
      ['run', ...on(), ...script],
    ]) {
      const { code, stderr } = await end(start(command, undefined, list));
      expect(stderr).toBe('caucus: VOTER_LIST: expected none beside --engine, which knows no members\n');
      expect(code).toBe(2);
    }
  });

  it('a file of a member that names an engine is refused', async () => {
    const { code, stderr } = await caucus(['node', '--config', '-'], '{ "id": "a",\n "engine": "local:" }');
    expect(stderr).toMatch(/line 2: engine: expected it as --engine/);
    expect(code).toBe(2);
  });
});

const JSON_BODY = { 'content-type': 'application/json' };
