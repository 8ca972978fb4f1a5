/** The commands that ask a running cluster, as they were built. */
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstAnswer } from '../../src/cli/commands/ask/first-answer.ts';
import { MemberClient, NoAnswer } from '../../src/cli/commands/ask/member-client.ts';
import { freePorts } from '../support/free-ports.ts';
import { caucus, start } from './caucus.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
type Printed = any;

let cluster: ChildProcess;
let ended: Promise<unknown>;
const urls: string[] = [];

beforeAll(async () => {
  cluster = start(['up', '--members', '3', '--json']);
  ended = new Promise((resolve) => cluster.once('exit', resolve));
  await new Promise<void>((resolve) => {
    createInterface({ input: cluster.stdout! }).on('line', (line) => {
      const { event, url } = JSON.parse(line);
      if (event === 'member') urls.push(url);
      if (event === 'acting') resolve();
    });
  });
});

afterAll(async () => {
  cluster.kill('SIGTERM');
  await ended;
});

/** Runs a command again until it succeeds: on a busy machine there are moments without a leader. */
async function eventually(...args: string[]): Promise<string> {
  for (;;) {
    const { code, stdout, stderr } = await caucus([...args, ...urls]);
    if (code === 0) return stdout;
    if (code !== 1) throw new Error(stderr);
  }
}

const json = async (...args: string[]): Promise<Printed> => JSON.parse(await eventually(...args, '--json'));

describe('the commands that ask', () => {
  it('print the leader', async () => {
    expect(await eventually('leader')).toMatch(/^[123]\n$/);
    const { name, url, token } = await json('leader');
    expect(url).toBe(urls[name - 1]);
    expect(BigInt(token)).toBeGreaterThan(0n);
  });

  it('print how each member sees it', async () => {
    const { members, leaders, protocol } = await json('status');
    expect(protocol).toBe('quorum');
    expect(leaders).toHaveLength(1);
    expect(members.map(({ id }: Printed) => id).sort()).toEqual(['1', '2', '3']);
    expect(await eventually('status')).toMatch(/^main of caucus \(quorum\): [123] leads, token \d+\n/);
  });

  it('make the leader resign and hand over, and tell its history', async () => {
    const before = await json('leader');
    await eventually('resign');
    let after = await json('leader');
    while (BigInt(after.token) <= BigInt(before.token)) after = await json('leader');
    const to = [1, 2, 3].find((id) => id !== after.name)!;
    const { code, stdout, stderr } = await caucus(['transfer', '--to', String(to), ...urls]);
    if (code === 0) expect(stdout).toBe(`${after.name} transferred the leadership to ${to}\n`);
    else expect(stderr).toMatch(/^caucus: .*\n$/); // It may have changed in between, and says so.
    const causes = (await eventually('history', '--json')).trim().split('\n');
    expect(causes.map((line) => JSON.parse(line).cause)).toContain('won');
    expect(await eventually('history')).toMatch(/^at +leader +token +cause/);
  });

  it('publish a value and print it', async () => {
    await eventually('value', '--set', '{ "address": "10.0.0.7:5432" }');
    expect(JSON.parse(await eventually('value'))).toEqual({ address: '10.0.0.7:5432' });
    const bad = await caucus(['value', '--set', '{', ...urls]);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringMatching(/^caucus: --set: not JSON: line 1/) });
  });

  it('watch nothing that can never work', async () => {
    const blocked = await caucus(['watch', 'http://127.0.0.1:9']);
    expect(blocked.code).toBe(1);
    expect(blocked.stderr).toMatch(
      /^caucus: http:\/\/127\.0\.0\.1:9: .*does not speak HTTP to this port.*\n$/,
    );
    const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr } = await caucus(['watch', url]);
    server.close();
    expect(code).toBe(1);
    expect(stderr).toBe(`caucus: ${url}: expected an event stream, found something else: is it a member?\n`);
  });

  it('watch, and end with Ctrl-C', async () => {
    const child = start(['watch', '--json', ...urls]);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const { value } = await lines.next();
    expect(JSON.parse(value!)).toMatchObject({ electionName: 'main', protocol: 'quorum' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await gone).toBe(0);
  });

  it('ask the next member when one is stopped and never answers', async () => {
    const members = [7101, 7102, 7103].map((port) => new MemberClient(`http://127.0.0.1:${port}`, undefined));
    const never = new Promise<string>(() => {});
    const isStopped = (url: string): boolean => url.includes('7101');
    expect(await firstAnswer(members, async ({ url }) => (isStopped(url) ? never : url))).toBe(
      members[1]!.url,
    );
    const refused = new NoAnswer('no', 404);
    const ask = async ({ url }: MemberClient): Promise<string> => {
      if (isStopped(url)) return never;
      throw url === members[1]!.url ? new NoAnswer('not there', null) : refused;
    };
    await expect(firstAnswer(members, ask)).rejects.toBe(refused);
  });

  it('say that nobody is there, with code 1', async () => {
    const [port] = await freePorts(1);
    for (const command of ['status', 'leader', 'history', 'resign', 'value']) {
      const { code, stderr } = await caucus([command, `127.0.0.1:${port}`]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `caucus: http://127.0.0.1:${port}: nothing listens there\n`,
      });
    }
    expect((await caucus(['status', 'http://['])).code).toBe(2);
  });

  it('can be completed by a shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout } = await caucus(['completion', shell]);
      expect(code).toBe(0);
      for (const word of ['transfer', 'kill-after', 'quorum']) expect(stdout).toContain(word);
    }
    expect((await caucus(['completion', 'tcsh'])).code).toBe(2);
  });
});
