/** Tokens on the command line: where they come from, where they go, and where they never show. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ended, end, start } from './caucus.ts';

const ALICE = 'token-of-alice-who-operates';
const NEXT = 'next-token-of-alice-rotated';
const BOB = 'token-of-bob-who-only-reads';
const NONE = { CAUCUS_API_TOKEN: '', CAUCUS_API_TOKEN_FILE: '', CAUCUS_TOKENS: '', CAUCUS_TOKENS_FILE: '' };

let folder: string;
const children: ChildProcess[] = [];
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-tokens-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string, mode = 0o600): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  chmodSync(at, mode);
  return at;
}

function caucus(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(args, undefined, { ...NONE, ...env });
  const ended = end(child);
  child.stdin!.end();
  return ended;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
type Printed = any;

/** A member of `caucus node --json` whose log can be waited for. */
class Node {
  readonly lines: Printed[] = [];
  readonly process: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}, command = 'node') {
    this.process = start([command, '--json', ...args], undefined, { ...NONE, ...env });
    children.push(this.process);
    for (const input of [this.process.stdout!, this.process.stderr!]) {
      createInterface({ input }).on('line', (line) => {
        this.lines.push(line.startsWith('{') ? JSON.parse(line) : { event: 'text', text: line });
        for (const look of [...this.#waiting]) look();
      });
    }
  }

  seen(fits: (line: Printed) => boolean): Promise<Printed> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.lines.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async leads(): Promise<string> {
    await this.seen(({ event }) => event === 'acting');
    return (await this.seen(({ event }) => event === 'ready')).url;
  }
}

// A busy machine takes no lead away at these times.
const calm = ['--timing', 'timeoutMs=[3000,4000]'];

describe('the tokens of a member', () => {
  it('come from a file, are needed, and are replaced while it runs', async () => {
    const tokens = file('tokens', `alice operate ${ALICE}\nbob read ${BOB}\n`);
    const node = new Node(['--id', 'a', '--tokens-file', tokens, ...calm]);
    const url = await node.leads();
    const put = (env: NodeJS.ProcessEnv): Promise<Ended> => caucus(['value', '--set', '1', url], env);
    const refused = await put({});
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `caucus: ${url}: this needs a token with the role operate: expected the header authorization: Bearer TOKEN; give it with --token-file\n`,
    ]);
    expect((await put({ CAUCUS_API_TOKEN: 'another-token-altogether' })).stderr).toContain(
      'is not known here',
    );
    expect((await put({ CAUCUS_API_TOKEN: BOB })).stderr).toContain('expected one with the role operate');
    expect(await put({ CAUCUS_API_TOKEN: ALICE })).toMatchObject({ code: 0, stdout: 'a has published it\n' });
    const own = file('alice', `${NEXT}\n`);
    expect((await put({ CAUCUS_API_TOKEN_FILE: own })).code).toBe(1);

    file('tokens', `alice operate ${ALICE}\nalice operate ${NEXT}\n`);
    await node.seen(({ event, level }) => event === 'tokens' && level === 'info');
    expect((await put({ CAUCUS_API_TOKEN: ALICE })).code).toBe(0);
    expect((await put({ CAUCUS_API_TOKEN_FILE: own })).code).toBe(0);
    // A file that cannot be used changes nothing.
    file('tokens', 'nonsense\n');
    const error = await node.seen(({ event, level }) => event === 'tokens' && level === 'error');
    expect(error.text).toBe(
      `the tokens stay as they were: ${tokens} line 1: expected NAME ROLE[,ROLE] TOKEN, found 1 words`,
    );
    expect((await caucus(['value', '--set', '1', '--token-file', own, url])).code).toBe(0);
    expect(node.lines.filter(({ event }) => event === 'idle')).toEqual([]);

    const { stdout } = await caucus(['history', url]);
    expect(stdout).toContain('operator alice at 127.0.0.1: publish: done');
    // Neither the log nor any answer ever shows a token.
    const shown = JSON.stringify(node.lines) + stdout + (await (await fetch(`${url}/status`)).text());
    for (const token of [ALICE, BOB, NEXT]) expect(shown).not.toContain(token);
  });

  it('come from a variable, and close a member', async () => {
    const env = { CAUCUS_TOKENS: `bob read ${BOB}; alice operate ${ALICE}` };
    const node = new Node(['--id', 'a', '--closed', ...calm], env);
    const url = await node.leads();
    const asked = await caucus(['leader', url]);
    expect([asked.code, asked.stdout]).toEqual([1, '']);
    expect(asked.stderr).toContain('this needs a token with the role read');
    expect((await caucus(['leader', url], { CAUCUS_API_TOKEN: BOB })).stdout).toBe('a\n');
    expect((await caucus(['status', url], { CAUCUS_API_TOKEN: BOB })).code).toBe(0);
    expect((await fetch(`${url}/leader`)).status).toBe(200);
    const args = readFileSync(`/proc/${node.process.pid}/cmdline`, 'utf8');
    expect(args).not.toContain(BOB);
  });

  it('are the same for a participant on a store', async () => {
    const tokens = file('tokens', `alice operate ${ALICE}\nbob read ${BOB}\n`);
    const node = new Node(['--engine', `local:${folder}`, '--id', 'a', '--tokens-file', tokens, '--closed']);
    const url = await node.leads();
    expect((await fetch(`${url}/status`)).status).toBe(401);
    expect((await fetch(`${url}/resign`, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${url}/liveness`)).status).toBe(200);
    const headers = { authorization: `Bearer ${ALICE}` };
    expect((await fetch(`${url}/resign`, { method: 'POST', headers })).status).toBe(200);
    await node.seen(({ text }) => text === 'operator alice at 127.0.0.1: resign: done');
    await node.seen(({ text }) =>
      /^POST \/resign from 127\.0\.0\.1 is refused: it carries no token$/.test(text),
    );
  });

  it('are refused at the start in one line that shows none', async () => {
    const open = file('open', `alice operate ${ALICE}\n`, 0o644);
    const bad = file('bad', `alice operator ${ALICE}\n`);
    const cases: [args: string[], env: NodeJS.ProcessEnv, message: string][] = [
      [
        ['node', '--tokens-file', open],
        {},
        `the tokens file: expected ${open} with access for its owner only (chmod 600 ${open}), found mode 0644`,
      ],
      [
        ['node', '--tokens-file', path.join(folder, 'none')],
        {},
        `the tokens file: expected a file that can be read, found ${path.join(folder, 'none')}: there is no such file`,
      ],
      [
        ['node', '--tokens-file', bad],
        {},
        `${bad} line 1: expected the roles read, operate, lead or chaos, found a text of 8 characters`,
      ],
      [
        ['node', '--closed'],
        {},
        'tokens: expected a token that may read, since the member is closed, found none',
      ],
      [
        ['node'],
        { CAUCUS_TOKENS: 'alice' },
        'CAUCUS_TOKENS line 1: expected NAME ROLE[,ROLE] TOKEN, found 1 words',
      ],
      [
        ['leader', '--token-file', open],
        {},
        `--token-file: expected ${open} with access for its owner only (chmod 600 ${open}), found mode 0644`,
      ],
      [
        ['leader'],
        { CAUCUS_API_TOKEN: 'a b' },
        'CAUCUS_API_TOKEN: expected a token, as the tokens file of a member has it, found a text of 3 characters that is none',
      ],
      [
        ['leader'],
        { CAUCUS_API_TOKEN: ALICE, CAUCUS_API_TOKEN_FILE: bad },
        'CAUCUS_API_TOKEN_FILE: expected it or CAUCUS_API_TOKEN, found both',
      ],
    ];
    for (const [args, env, message] of cases) {
      const { code, stdout, stderr } = await caucus(args, env);
      expect({ args, code, stdout, stderr }).toEqual({
        args,
        code: 2,
        stdout: '',
        stderr: `caucus: ${message}\n`,
      });
      expect(stderr).not.toContain(ALICE);
    }
    const flag = await caucus(['resign', '--token', ALICE]);
    expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining("unknown option '--token'")]);
  });

  it('do not show in --print-config', async () => {
    const tokens = file('tokens', `alice operate ${ALICE}\n`);
    const password = file('password', 'the-password\n');
    const runs: [args: string[], env: NodeJS.ProcessEnv][] = [
      [['node', '--print-config', '--tokens-file', tokens], {}],
      [['node', '--print-config', '--json'], { CAUCUS_TOKENS: `alice operate ${ALICE}` }],
      [
        ['node', '--print-config', '--engine', 'redis://127.0.0.1', '--engine-password-file', password],
        { CAUCUS_TOKENS: `alice operate ${ALICE}` },
      ],
    ];
    for (const [args, env] of runs) {
      const { code, stdout, stderr } = await caucus(args, env);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      expect(stdout).toMatch(/tokens/);
      expect(stdout).not.toContain(ALICE);
      expect(stdout).not.toContain('the-password');
    }
  });
});

describe('the secrets of caucus run', () => {
  it('reach neither its command nor any process that it starts', async () => {
    const env = {
      CAUCUS_TOKENS: `alice operate ${ALICE}`,
      CAUCUS_API_TOKEN: NEXT,
      CAUCUS_ENGINE_PASSWORD: 'the-password',
      MINE: 'kept',
    };
    const run = new Node(['--id', 'a', ...calm, '--', 'sh', '-c', 'env; echo ready; sleep 600'], env, 'run');
    await run.seen(({ text }) => text === 'ready');
    const printed = run.lines.map(({ text }) => text).join('\n');
    expect(printed).toContain('MINE=kept');
    expect(printed).toContain('CAUCUS_MEMBER=a');
    for (const secret of [ALICE, NEXT, 'the-password']) expect(printed).not.toContain(secret);
    const others = descendants(run.process.pid!);
    expect(others.length).toBeGreaterThan(2);
    for (const pid of others) {
      const seen =
        readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      for (const secret of [ALICE, NEXT, 'the-password']) expect(seen).not.toContain(secret);
    }
  });
});

/** The processes below this one. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const isBelow = (each: number): boolean => {
    const parent = parents.get(each);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

describe('the token of a client', () => {
  /** A server that answers everything with this, and keeps what it was asked. */
  async function pretender(
    answer: (request: IncomingMessage, url: string) => { status: number; headers?: object; body: object },
  ): Promise<{ url: string; asked: IncomingMessage[] }> {
    const asked: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      asked.push(request);
      const { status, headers = {}, body } = answer(request, url);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, asked };
  }

  const status = (voterUrl: string, leaderUrl: string, configured: boolean): object => ({
    ...{ voterId: 'a', voterUrl, cluster: 'c', electionName: 'main', protocol: 'draw', role: 'follower' },
    ...{ acting: false, leader: 'b', leaderUrl, term: 1, token: '1', expiresInMs: null, version: 0 },
    ...{ knownVoters: ['a', 'b'], cause: 'won', detail: '', illness: null, incarnation: 1, startedAtMs: 0 },
    voters: [
      { voterId: 'a', voterUrl, configured: true },
      { voterId: 'b', voterUrl: leaderUrl, configured },
    ],
  });

  const tokensOf = (asked: readonly IncomingMessage[]): (string | undefined)[] =>
    asked.map(({ headers }) => headers.authorization);

  it('goes to members that were given or are configured, and to no other', async () => {
    const leader = await pretender((_, url) => ({ status: 200, body: status(url, url, true) }));
    let configured = true;
    const asked = await pretender((_, url) => ({ status: 200, body: status(url, leader.url, configured) }));
    const env = { CAUCUS_API_TOKEN: ALICE };
    expect((await caucus(['resign', asked.url], env)).code).toBe(0);
    expect(tokensOf(asked.asked)).toEqual([`Bearer ${ALICE}`]);
    expect(tokensOf(leader.asked.splice(0))).toEqual([`Bearer ${ALICE}`]);

    configured = false;
    const refused = await caucus(['resign', asked.url], env);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `caucus: b leads at ${leader.url}, which is neither given here nor configured at the member that was asked: the token is not sent there; give that URL to send it\n`,
    ]);
    expect(leader.asked).toEqual([]);
    await caucus(['status', asked.url], env);
    expect(tokensOf(leader.asked.splice(0))).toEqual([undefined]);
    expect((await caucus(['resign', asked.url, leader.url], env)).code).toBe(0);
    expect(tokensOf(leader.asked)).toEqual([`Bearer ${ALICE}`]);
  });

  it('goes by the scheme of the URL that was given only, so that no member moves it to http', async () => {
    const asked = await pretender((_, url) => ({
      status: 200,
      body: status(url, url.replace('http:', 'https:'), true),
    }));
    const { code, stderr } = await caucus(['resign', asked.url], { CAUCUS_API_TOKEN: ALICE });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the token is not sent there')]);
    expect(asked.asked).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const thief = await pretender((_, url) => ({ status: 200, body: status(url, url, true) }));
    const asked = await pretender((request) => ({
      status: 307,
      headers: { location: `${thief.url}${request.url}` },
      body: {},
    }));
    const { code, stderr } = await caucus(['leader', asked.url], { CAUCUS_API_TOKEN: ALICE });
    expect([code, stderr]).toEqual([
      1,
      `caucus: ${asked.url}: redirects to another place, which is not followed\n`,
    ]);
    expect(thief.asked).toEqual([]);
  });
});
