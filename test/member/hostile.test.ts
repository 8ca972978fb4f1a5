/** Whoever can reach the port of a member can say anything on it. It costs him his connection, and nobody else anything. */
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Input, Message } from '../../src/core/index.ts';
import { ownProcess } from '../../src/member/evidence.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';
import { encodeHello, encodeLocalConfirmed } from '../../src/member/links/frames.ts';
import { createLinks } from '../../src/member/links/index.ts';
import type { Identity } from '../../src/member/links/links.ts';
import { LocalSocket } from '../../src/member/links/local-socket.ts';
import { start } from '../support/link-bed.ts';
import { introduce, until } from '../support/linked.ts';

const members: Member[] = [];
const sockets: net.Socket[] = [];
const peers: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const peer of peers.splice(0)) peer.terminate();
  await Promise.all(members.splice(0).map((member) => member.close()));
});

async function startMember(options: AnyJoinOptions): Promise<Member> {
  const member = await join({ id: 'a', ...options });
  members.push(member);
  return member;
}

/** Says that it is the member b. */
async function dialAsB(url: string, says: Partial<Identity> = {}): Promise<WebSocket> {
  const peer = new WebSocket(`${url.replace('http', 'ws')}/link`);
  peers.push(peer);
  peer.on('error', () => {});
  await once(peer, 'open');
  peer.send(
    encodeHello({
      id: 'b',
      cluster: 'caucus',
      incarnation: 1,
      life: 'b-1',
      url: 'http://127.0.0.1:9',
      process: null,
      ...says,
    }),
  );
  return peer;
}

const B = [{ id: 'b', url: 'http://127.0.0.1:9' }];

/** A request that asks for another protocol, and a socket that never closes its own half. */
async function askUpgrade(url: string, lines: readonly string[]): Promise<net.Socket> {
  const { port } = new URL(url);
  const socket = net.connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  await once(socket, 'connect');
  const head = ['GET /elsewhere HTTP/1.1', 'host: localhost', 'connection: upgrade', 'upgrade: websocket'];
  socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n`);
  return socket;
}

describe('a frame', () => {
  it('that is nested too deeply is refused and counted', async () => {
    const member = await startMember({ peers: B });
    const peer = await dialAsB(member.url);
    await once(peer, 'message'); // Its hello.
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const register = `{"term":1,"version":1,"members":[],"value":${deep}}`;
    peer.send(`["main",{"type":"publish/send","term":1,"register":${register}}]`);
    peer.send(`["main",{"type":"term","term":${deep}}]`);
    await until('both are counted', () => member.refusals['bad-shape'] === 2);
    expect(peer.readyState).toBe(WebSocket.OPEN);
  });

  it('on which a member fails costs the connection that brought it', async () => {
    const links = createLinks(
      { id: 1, cluster: 'test', incarnation: 1, life: 'one', url: 'http://127.0.0.1:9', process: null },
      {
        onMessage: () => {
          throw new Error('nobody foresaw this');
        },
        onUp: () => {},
        onDown: (_, reason) => told.push(reason),
        onRefused: (reason, _, kind) => told.push(`${kind}: ${reason}`),
      },
    );
    const told: string[] = [];
    const two = await start(2);
    links.setPeers([two]);
    two.links.setPeers([{ id: 1, url: 'http://127.0.0.1:9' }]);
    two.links.send(1, 'e', { type: 'x' } as Message);
    await until('told', () => told.length === 2);
    const reason = 'a frame on which this member failed: nobody foresaw this';
    expect(told).toEqual([`bad-shape: ${reason}`, reason]);
    await links.close();
  });
});

describe('an upgrade that is refused', () => {
  it('leaves no socket behind, so that the member can be closed', async () => {
    const member = await startMember({});
    const answers = await Promise.all(
      [[], ['origin: http://evil.example']].map(async (lines) => {
        const socket = await askUpgrade(member.url, lines);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        return answer.toString().split('\r\n')[0];
      }),
    );
    expect(answers).toEqual(['HTTP/1.1 404 Not Found', 'HTTP/1.1 404 Not Found']);
    await member.close();
  });
});

describe('a connection that was refused', () => {
  it.each([
    ['is a stranger until it is closed, and gives way to the next one', 60_000, true],
    ['is closed even if it does not answer', 500, false],
  ])('%s', async (_, goodbyeMs, isFollowed) => {
    const one = await start(1, { strangers: 1, goodbyeMs });
    const closed = new Promise((resolve) => one.server.once('connection', (s) => s.once('close', resolve)));
    const { port } = new URL(one.url);
    const deaf = net.connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(deaf);
    deaf.write(
      'GET /link HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    // A text frame with two letters, masked with zeros: no hello.
    deaf.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]));
    await until('refused', () => one.refused.length === 1);
    if (isFollowed) {
      const next = new WebSocket(`${one.url.replace('http', 'ws')}/link`);
      peers.push(next);
      await once(next, 'open');
    }
    await closed;
  });
});

describe('a process with a smaller incarnation', () => {
  it('is taken in when no other is there: its data folder may be new', async () => {
    const one = await start(1);
    const ahead = await start(2, {}, { incarnation: 9000 });
    introduce([one, ahead]);
    await until('up', () => one.events.length === 1);
    await ahead.links.close();
    await until('down', () => one.events.length === 2);
    const late = await start(2, {}, { incarnation: 7 });
    late.links.setPeers([{ id: 1, url: one.url }]);
    await until('up again', () => one.events.at(-1) === 'up 2 (7)');
    expect(one.refused).toEqual([]);
  });
});

/** What the main election of a member is told of its peers. */
function peerInputs(member: Member): Input[] {
  const given: Input[] = [];
  const host = member.electionPort('main') as unknown as { give(input: Input): void };
  const give = host.give.bind(host);
  host.give = (input) => {
    if (input.type.startsWith('peer-')) given.push(input);
    give(input);
  };
  return given;
}

describe('a peer whose connection closes', () => {
  it('is given up for dead by its life, and never because another process came', async () => {
    const member = await startMember({ peers: B });
    const given = peerInputs(member);
    for (const [i, life] of ['one', 'two', 'three'].entries()) {
      const peer = await dialAsB(member.url, { life, incarnation: 9 - i });
      await until('up', () => given.at(-1)?.type === 'peer-back');
      peer.terminate();
      await until('down', () => given.at(-1)?.type === 'peer-gone');
    }
    const gone = (life: string): Input => ({ type: 'peer-gone', peer: 'b', proof: false, life });
    const back: Input = { type: 'peer-back', peer: 'b' };
    expect(given).toEqual([
      back,
      gone('one'),
      gone('one'),
      back,
      gone('two'),
      gone('two'),
      back,
      gone('three'),
    ]);
  });

  it('is not given up for dead because a clone of its machine has no such process', async () => {
    const member = await startMember({ peers: B });
    const given = peerInputs(member);
    const nowhere = { ...ownProcess()!, pid: 2 ** 22 + 1, startTime: '1' };
    // Something listens here under the name that it says: its clone, which has the same memory.
    const clone = new LocalSocket();
    const asked: string[] = [];
    const peer = await dialAsB(member.url, { process: nowhere, localSocket: clone.name });
    peer.on('message', (data) => {
      const { localToken } = JSON.parse(String(data)) as { localToken?: string };
      if (localToken === undefined) return;
      asked.push(localToken);
      // The most that it can say by accident: a token that it drew itself.
      peer.send(encodeLocalConfirmed('0'.repeat(32)));
    });
    await until('asked', () => asked.length === 1);
    expect(clone.drew(asked[0]!)).toBe(true);
    peer.ping();
    await once(peer, 'pong');
    peer.terminate();
    await until('down', () => given.length === 2);
    expect(given[1]).toEqual({ type: 'peer-gone', peer: 'b', proof: false, life: 'b-1' });
    clone.close();
  });

  it('is dead for certain if it has shown that it was here, and is no more', async () => {
    const member = await startMember({ peers: B });
    const given = peerInputs(member);
    const nowhere = { ...ownProcess()!, pid: 2 ** 22 + 1, startTime: '1' };
    const local = new LocalSocket();
    const peer = await dialAsB(member.url, { process: nowhere, localSocket: local.name });
    let isAsked = false;
    peer.on('message', (data) => {
      const { localToken } = JSON.parse(String(data)) as { localToken?: string };
      if (localToken === undefined || !local.drew(localToken)) return;
      peer.send(encodeLocalConfirmed(localToken));
      isAsked = true;
    });
    await until('asked', () => isAsked);
    peer.ping();
    await once(peer, 'pong');
    peer.terminate();
    await until('down', () => given.length === 2);
    expect(given[1]).toEqual({ type: 'peer-gone', peer: 'b', proof: true, life: 'b-1' });
    local.close();
  });
});
