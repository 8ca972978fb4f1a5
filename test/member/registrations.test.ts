/** Voters of `draw` that register: what they say of their addresses, and how often they may say it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import { ask } from '../api/test-member.ts';
import { until } from '../support/linked.ts';

const NOWHERE = 'http://127.0.0.1:9';
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: AnyJoinOptions = {}): Promise<Member> {
  const member = await join({ id: 'a', protocol: 'draw', timing: { heartbeatMs: 30 }, ...options });
  stops.push(() => member.close());
  return member;
}

const registers = async (member: Member, voterId: string, voterUrl: string): Promise<number> =>
  (await ask(member, 'POST', '/register', { voterId, voterUrl })).status;

/** Connects as the voter q, which has registered; `heard` are the messages to it. */
async function connectAsQ(member: Member): Promise<{ peer: WebSocket; heard: { type: string }[] }> {
  expect(await registers(member, 'q', NOWHERE)).toBe(200);
  const peer = new WebSocket(`${member.url.replace('http', 'ws')}/link`);
  stops.push(() => peer.terminate());
  await once(peer, 'open');
  const identity = { cluster: 'caucus', incarnation: 1, life: 'q-1', url: NOWHERE, process: null };
  peer.send(encodeHello({ id: 'q', ...identity }));
  await once(peer, 'message');
  const heard: { type: string }[] = [];
  peer.on('message', (data) => {
    const frame = JSON.parse(String(data));
    if (Array.isArray(frame)) heard.push(frame[1]);
  });
  return { peer, heard };
}

const isHeartbeat = ({ type }: { type: string }): boolean => type === 'heartbeat';

describe('an address in a message', () => {
  it.each(['nonsense', 'http://u:pw@127.0.0.1:9', 'http://127.0.0.1:9/x?', 'ftp://127.0.0.1', 'http://a b'])(
    'is not %s',
    async (voterUrl) => {
      const member = await start();
      const { peer } = await connectAsQ(member);
      peer.send(JSON.stringify(['main', { type: 'register', voterUrl }]));
      await until('refused', () => member.refusals['bad-shape'] === 1);
      expect(member.links.map(({ url }) => url)).toEqual([NOWHERE]);
    },
  );

  it('that cannot be called harms nothing: the voter stays where it was', async () => {
    const member = await start();
    const { peer, heard } = await connectAsQ(member);
    for (const voterUrl of ['http://[::zz]:1', 'http://127.0.0.1:99999', 'http://192.0.2.1:80']) {
      peer.send(JSON.stringify(['main', { type: 'register', voterUrl }]));
      const before = heard.filter(isHeartbeat).length;
      await until('heartbeats', () => heard.filter(isHeartbeat).length >= before + 2);
    }
    expect(member.links.map(({ url }) => url)).toEqual([NOWHERE]);
    expect((await ask(member, 'GET', '/status')).status).toBe(200);
  });

  it('leads to no other path of a server than those of a voter', async () => {
    const called: string[] = [];
    const server = createServer((request, response) => {
      called.push(request.url!);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const member = await start();
    const { peer } = await connectAsQ(member);
    const voterUrl = `http://127.0.0.1:${port}/admin/shutdown`;
    const beat = { role: 'follower', leader: null, term: 0, election: 0, offline: [] };
    peer.send(JSON.stringify(['main', { type: 'register', voterUrl: `${voterUrl}?` }]));
    const voters = [
      { voterId: 'q', voterUrl: `${voterUrl}#` },
      { voterId: 'r', voterUrl: `${voterUrl}?` },
    ];
    peer.send(JSON.stringify(['main', { type: 'heartbeat', ...beat, knownVoters: ['q', 'r'], voters }]));
    peer.send(JSON.stringify(['main', { type: 'reconcile', knownVoters: ['q', 'r'], voters }]));
    await until('refused', () => member.refusals['bad-shape'] === 3);
    peer.send(JSON.stringify(['main', { type: 'register', voterUrl }]));
    peer.terminate();
    await until('it is called', () => called.length > 0);
    for (const path of called) expect(path).toMatch(/^\/admin\/shutdown\/[a-z/]+$/);
  });
});

describe('registrations', () => {
  it('are a hundred at once, and then so many a second', async () => {
    const log: string[] = [];
    const member = await start({ log: ({ message }) => log.push(message) });
    const startMs = performance.now();
    const codes: number[] = [];
    for (let i = 0; i < 400; i++) codes.push(await registers(member, 'q', `http://127.0.0.1:${1000 + i}`));
    const seconds = (performance.now() - startMs) / 1000;
    const accepted = codes.filter((code) => code === 200).length;
    expect(new Set(codes)).toEqual(new Set([200, 429]));
    expect(accepted).toBeGreaterThanOrEqual(100);
    expect(accepted).toBeLessThanOrEqual(101 + 5 * seconds);
    expect(member.refusals['too-fast']).toBe(400 - accepted);
    expect(log.filter((line) => line.includes('the voter q is at'))).toHaveLength(accepted);
    expect(log.filter((line) => line.includes('too many voters register')).length).toBeLessThan(2 + seconds);
    // A voter that comes again with the same address is no new one.
    const { url } = member.links.find(({ id }) => id === 'q')!;
    expect(await registers(member, 'q', url)).toBe(200);
  });
});
