/** `caucus member` and its neighbours against three members, and what they say of input that cannot be meant. */
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
