/** `caucus member` and its neighbours against three members, and what they say of input that cannot be meant. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../../src/member/index.ts';
import { Cluster } from '../support/cluster.ts';
import { freePorts } from '../support/free-ports.ts';
import { caucus } from './caucus.ts';

let cluster: Cluster;
let leader: Member;
let follower: Member;

beforeAll(async () => {
  cluster = await Cluster.start(['a', 'b', 'c'], { timing: { timeoutMs: [6000, 9000] } });
  for (const member of cluster.members) member.seat().stand();
  leader = await cluster.leader();
  follower = cluster.members.find((member) => member !== leader)!;
  await cluster.until(() =>
    cluster.members.every(({ membership }) => membership!.leader === leader.id && membership!.members),
  );
}, 60_000);

afterAll(() => cluster.close());

describe('caucus member list', () => {
  it('asks the leader, which hears all members, whichever member is named', async () => {
    const { code, stdout } = await caucus(['member', 'list', follower.url]);
    expect(code).toBe(0);
    expect(stdout).toContain(`caucus, as ${leader.id} knows it`);
    expect(stdout).not.toContain('never');
    expect(stdout.match(/\d s ago/g)).toHaveLength(2);
  });
});

describe('caucus member promote', () => {
  it('says that a member votes without it', async () => {
    const { code, stdout } = await caucus(['member', 'promote', String(follower.id), follower.url]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${follower.id} votes: a member needs no promotion\n`,
    });
  });
});

describe('what cannot be meant is bad input', () => {
  it.each([
    [['member', 'remove', 'zz'], 'ID: expected one of a, b, c, found "zz"'],
    [['member', 'promote', 'zz'], 'ID: expected one of a, b, c, found "zz"'],
    [['member', 'replace', 'zz', 'd', 'http://127.0.0.1:1'], 'OLD: expected one of a, b, c, found "zz"'],
    [
      ['member', 'replace', 'a', 'a', 'http://127.0.0.1:1'],
      'NEW: expected another id than a, found the same',
    ],
    [['drain', 'zz'], 'MEMBER: expected one of a, b, c, found "zz"'],
    [
      ['pause', 'extra'],
      'URL: expected http://HOST:PORT, or --engine before the URL of a store, found "extra"',
    ],
  ])('%j', async (args, says) => {
    expect(await caucus([...args, follower.url])).toEqual({
      code: 2,
      stdout: '',
      stderr: `caucus: ${says}\n`,
    });
  });
});

describe('caucus member add of a member', () => {
  const add = (url: string): ReturnType<typeof caucus> =>
    caucus(['member', 'add', String(follower.id), url, leader.url]);

  it('is done if it has this URL, so that the command can be repeated', async () => {
    expect(await add(follower.url)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${follower.id} is a member already, with this URL\n`),
    });
  });

  it('is refused with another URL', async () => {
    expect(await add('http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`${follower.id} is a member already, at ${follower.url}`),
    });
  });
});

describe('caucus reconfigure', () => {
  it('sets options, and takes them back', async () => {
    const reconfigure = (...settings: readonly string[]): ReturnType<typeof caucus> =>
      caucus(['reconfigure', ...settings, follower.url]);
    const configured = 'the timing is lan, timeoutMs [6000,9000]';
    const set = await reconfigure('options.maxDrift=0.02', 'options.preferAfter=30');
    expect(set.code).toBe(0);
    expect(set.stdout).toContain(`${configured}, maxDrift 0.02, preferAfter 30\n`);
    const back = await reconfigure('options.maxDrift=null', 'options.preferAfter=null');
    expect(back.stdout).toContain(`${configured}\n`);
  });

  it.each([
    ['timing=LAN', 'timing: expected "steady" or "lan" or "wan" or "fast" or "default", found "LAN"'],
    [
      'options.maxDrift=2',
      'options.maxDrift: expected times and options that work together, found 2: a clock that may',
    ],
    ['options.maxDrift=much', 'options.maxDrift: expected a number, or null, found "much"'],
    ['options.preset="lan"', 'options.preset: expected timing=PRESET, which sets it, found "lan"'],
    ['options.quorum=true', 'options: expected maxDrift or preferAfter, which can be changed while the clus'],
    ['option.maxDrift=2', 'SETTING: expected timing=PRESET, timing.NAME=VALUE or options.NAME=VALUE, found'],
  ])('refuses %s', async (setting, says) => {
    const { code, stdout, stderr } = await caucus(['reconfigure', setting, follower.url]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  it.each(['answers that it does not know', 'ends the connection'] as const)(
    'says that it may have taken effect if the leader %s',
    async (what) => {
      const asked = createServer((request, response) => {
        if (request.method === 'GET') {
          void fetch(`${leader.url}${request.url}`)
            .then((answer) => answer.text())
            .then((text) =>
              response.end(text.replaceAll(`"leaderUrl":"${leader.url}"`, `"leaderUrl":"${url}"`)),
            );
          return;
        }
        if (what === 'ends the connection') return void request.socket.destroy();
        const error = { code: 'E_FAILED', message: 'no majority answered in time', outcome: 'indefinite' };
        response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      });
      await once(asked.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(asked.address() as AddressInfo).port}`;
      const { code, stdout, stderr } = await caucus(['reconfigure', 'timing=wan', url]);
      asked.close();
      expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
      expect(stderr).toMatch(
        /^caucus: .*; it may or may not have taken effect: caucus member list shows it, and the command can be repeated\n$/,
      );
    },
  );
});

it('members that do not answer are all named, each with its reason', async () => {
  const ports = await freePorts(3);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const said = urls.map((url) => `${url}: nothing listens there`).join('; ');
  for (const command of ['status', 'leader', 'history'])
    expect(await caucus([command, ...urls])).toEqual({ code: 1, stdout: '', stderr: `caucus: ${said}\n` });
});

it('caucus help prints the help of a command of a command', async () => {
  const { code, stdout } = await caucus(['help', 'member', 'add']);
  expect(code).toBe(0);
  expect(stdout).toBe((await caucus(['member', 'add', '--help'])).stdout);
  const unknown = await caucus(['help', 'member', 'nosuch']);
  expect(unknown).toMatchObject({ code: 2, stderr: "caucus: unknown command 'member nosuch'\n" });
});

describe('a member that was removed', () => {
  it('is passed over by all commands that are given others too', async () => {
    expect((await caucus(['member', 'remove', String(follower.id), leader.url])).code).toBe(0);
    await cluster.until(() => follower.membership!.members?.length === 2 && !follower.membership!.leader);
    const urls = [follower.url, leader.url];
    expect(await caucus(['leader', ...urls])).toMatchObject({ code: 0, stdout: `${leader.id}\n` });
    expect((await caucus(['member', 'list', ...urls])).stdout).toContain(`as ${leader.id} knows it`);
    expect(await caucus(['resume', ...urls])).toMatchObject({ code: 0 });
    // Alone it says why it knows of no leader.
    const { code, stderr } = await caucus(['resign', follower.url]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`${follower.id} was removed from the cluster`),
    });
  });
});
