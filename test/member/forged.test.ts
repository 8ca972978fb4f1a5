/** Messages that no honest member can have sent: refused and counted, and nothing of them is saved, answered or passed on. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import { ask } from '../api/test-member.ts';
import { until } from '../support/linked.ts';

let folder: string;
let members: Member[] = [];
let peers: WebSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-forged-'));
});

afterEach(async () => {
  for (const peer of peers) peer.terminate();
  peers = [];
  await Promise.all(members.map((member) => member.close()));
  members = [];
  rmSync(folder, { recursive: true, force: true });
});

const NOWHERE = 'http://127.0.0.1:9';
const BY = { disk: 'd', start: 1, life: 'forged' };

async function start(options: AnyJoinOptions): Promise<Member> {
  const member = await join({ id: 'a', data: path.join(folder, 'a'), ...options });
  members.push(member);
  return member;
}

/** Connects as the member b. */
async function connectAsB({ url }: Member): Promise<WebSocket> {
  const peer = new WebSocket(`${url.replace('http', 'ws')}/link`);
  peers.push(peer);
  await once(peer, 'open');
  const identity = { cluster: 'caucus', incarnation: 1, life: 'b-1', url: NOWHERE, process: null };
  peer.send(encodeHello({ id: 'b', ...identity }));
  await once(peer, 'message');
  return peer;
}

const B = [{ id: 'b', url: NOWHERE }];
const FAR = 2 ** 53 - 1;
const recordOf = (): string => readFileSync(path.join(folder, 'a', 'election-main.json'), 'utf8');
/** The classics save nothing before they have to. */
const recordIfAny = (): string =>
  existsSync(path.join(folder, 'a', 'election-main.json')) ? recordOf() : '';
/** The term of the member a, as it stands on its disk. */
const termOf = (): number =>
  Math.max(...[...recordOf().matchAll(/"start":1,"term":(\d+)/g)].map((found) => Number(found[1])));

/** A pong comes after whatever was sent before the ping has been taken. */
async function taken(peer: WebSocket): Promise<void> {
  peer.ping();
  await once(peer, 'pong');
}

describe('a message by POST', () => {
  it('in the name of a member that is connected is refused', async () => {
    const log: string[] = [];
    const member = await start({ peers: B, log: ({ message }) => log.push(message) });
    const post = (): Promise<{ status: number }> =>
      ask(member, 'POST', '/term', { voterId: 'b', by: BY, term: termOf() + 1 });
    const peer = await connectAsB(member);
    const before = termOf();
    expect([(await post()).status, (await post()).status]).toEqual([409, 409]);
    expect([termOf(), member.refusals.linked]).toEqual([before, 2]);
    expect(log.filter((line) => line.includes('sends nothing by POST'))).toHaveLength(1);
    peer.terminate();
    await until('gone', () => member.links.every(({ via }) => via === 'none'));
    expect((await post()).status).toBe(204);
    expect(termOf()).toBe(before + 1);
  });

  it('that no honest member can have sent changes nothing, also not on the disk', async () => {
    const member = await start({ peers: B });
    const before = recordOf();
    const seats = [{ id: 'b', disk: 'd' }];
    const register = { term: 1, version: 2 ** 53 - 1, members: seats, founding: null, value: null };
    const answer = await ask(member, 'POST', '/publish/copy', { voterId: 'b', by: BY, register });
    expect([answer.status, member.refusals.impossible]).toEqual([409, 1]);
    const members = [...seats, ...seats, ...seats];
    const twice = { voterId: 'b', by: BY, register: { ...register, version: 1, members } };
    expect((await ask(member, 'POST', '/publish/copy', twice)).status).toBe(400);
    expect([recordOf() === before, termOf()]).toEqual([true, 0]);
  });
});

describe('a member with a connection', () => {
  it('cannot use up the terms: they rise by so much and no more', async () => {
    const member = await start({ peers: B });
    const peer = await connectAsB(member);
    for (const term of [2 ** 40, 2 ** 42, 2 ** 48, 2 ** 53 - 1])
      peer.send(JSON.stringify(['main', { type: 'term', by: BY, term }]));
    await taken(peer);
    expect([termOf(), member.refusals.impossible]).toEqual([2 ** 40, 3]);
    // Whoever was led there can go on.
    peer.send(JSON.stringify(['main', { type: 'term', by: BY, term: 2 ** 40 + 1 }]));
    await taken(peer);
    expect(termOf()).toBe(2 ** 40 + 1);
  });

  /** More than a member admits over a connection, and less than the protocol itself refuses. */
  const AHEAD = 2 ** 42;
  const copied = { term: 1, version: 1, members: [{ id: 'b', disk: 'd' }], founding: null, value: null };
  it.each<[what: string, message: object]>([
    ['starts of its disk', { type: 'term', term: 1, by: { ...BY, start: AHEAD } }],
    ['starts of the other disk', { type: 'copy', by: BY, disk: 'x', start: AHEAD, life: 'x' }],
    ['versions', { type: 'pre-vote', by: BY, term: 1, age: { term: 1, version: AHEAD } }],
    ['versions of a register', { type: 'publish/copy', by: BY, register: { ...copied, version: AHEAD } }],
    ['terms of a register', { type: 'publish/copy', by: BY, register: { ...copied, term: AHEAD } }],
  ])('cannot use up the %s', async (_, message) => {
    const member = await start({ peers: B });
    const peer = await connectAsB(member);
    const before = recordOf();
    peer.send(JSON.stringify(['main', message]));
    await taken(peer);
    expect([member.refusals.impossible, member.refusals['bad-shape']]).toEqual([1, 0]);
    expect(recordOf()).toBe(before);
    peer.send(JSON.stringify(['main', JSON.parse(JSON.stringify(message).replace(String(AHEAD), '1'))]));
    await taken(peer);
    expect(member.refusals.impossible).toBe(1);
  });

  const beat = { role: 'follower', leader: null, term: 1, election: 1, knownVoters: ['a', 'b'], offline: [] };
  it.each<[protocol: string, options: object, message: object, far: object]>([
    ['epoch', {}, { type: 'keep-alive', epoch: 1 }, { epoch: FAR }],
    ['bully', { quorum: true }, { type: 'newer-epoch', epoch: 1 }, { epoch: FAR }],
    ['bully', {}, { type: 'publish/state', epoch: 1, version: 1, value: 1 }, { version: FAR }],
    ['draw', {}, { type: 'heartbeat', ...beat }, { election: FAR }],
    ['draw', {}, { type: 'heartbeat', ...beat }, { term: FAR }],
    ['draw', {}, { type: 'election/start', election: 1, voters: ['a', 'b'] }, { election: FAR }],
  ])('cannot use up the numbers of %s: %j %j', async (protocol, options, message, far) => {
    const member = await start({ peers: B, protocol, options: options as AnyJoinOptions['options'] });
    const peer = await connectAsB(member);
    peer.send(JSON.stringify(['main', { ...message, ...far }]));
    await taken(peer);
    expect([member.refusals.impossible, member.refusals['bad-shape']]).toEqual([1, 0]);
    expect(recordIfAny()).not.toContain(String(FAR));
    peer.send(JSON.stringify(['main', message]));
    await taken(peer);
    expect(member.refusals.impossible).toBe(1);
  });

  it('causes so many saves a second and no more, and is heard where none is needed', async () => {
    const log: string[] = [];
    const member = await start({ peers: B, log: ({ message }) => log.push(message) });
    const peer = await connectAsB(member);
    const startMs = performance.now();
    for (let i = 1; i <= 5000; i++) peer.send(JSON.stringify(['main', { type: 'term', by: BY, term: i }]));
    await taken(peer);
    const seconds = (performance.now() - startMs) / 1000;
    const saves = 5000 - member.refusals['too-fast'];
    expect(saves).toBeGreaterThan(5);
    expect(saves).toBeLessThanOrEqual(212 + 102 * seconds);
    // A probe of its term needs no save.
    peer.send(JSON.stringify(['main', { type: 'probe', by: BY, term: termOf() }]));
    const [answer] = (await once(peer, 'message')) as [Buffer];
    expect(String(answer)).toContain('probe/answer');
    expect(log.filter((line) => line.includes('is refused')).length).toBeLessThan(3 + seconds);
  });

  it('fills no disk with the log', async () => {
    const log: string[] = [];
    const member = await start({ peers: B, log: ({ message }) => log.push(message) });
    const peer = await connectAsB(member);
    const startMs = performance.now();
    for (let i = 0; i < 5000; i++) peer.send('{"refused":"bad-shape","reason":"no"}');
    for (let i = 0; i < 5000; i++) peer.send('no JSON');
    await taken(peer);
    expect([member.refusals['bad-shape'], member.refusals['not-json']]).toEqual([5000, 5000]);
    const seconds = (performance.now() - startMs) / 1000;
    expect(log.filter((line) => line.includes('is refused')).length).toBeLessThanOrEqual(4 + 2 * seconds);
    await until('the rest is told', () => log.some((line) => line.includes('times within a second')));
  });
});
