/** Connections that do nothing, or do not read, keep nobody out. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeServer, listen } from '../../src/api/index.ts';
import { join, type Member } from '../../src/member/index.ts';
import { encodeHello } from '../../src/member/links/frames.ts';
import { until } from '../support/linked.ts';

const sockets: Socket[] = [];
const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((stop) => stop()));
});

async function open(port: number, path?: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

/** The status of an answer, or null if the connection was closed without one. */
async function status(port: number, path: string): Promise<number | null> {
  const socket = await open(port, path);
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
  socket.destroy();
  return answer === null ? null : Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer[0]))![1]);
}

async function startMember(connections: number): Promise<{ member: Member; port: number }> {
  const peers = [{ id: 'b', url: 'http://127.0.0.1:9' }];
  const member = await join({ id: 'a', peers, limits: { connections } });
  running.push(() => member.close());
  return { member, port: Number(new URL(member.url).port) };
}

/** Watches, and has read the first event. */
async function watch(port: number): Promise<Socket> {
  const socket = await open(port, '/watch');
  await once(socket, 'data');
  return socket;
}

describe('a member with as many connections as it may have', () => {
  it('closes silent ones for those that ask', async () => {
    const { port } = await startMember(20);
    const silent = await Promise.all(Array.from({ length: 100 }, () => open(port)));
    for (let i = 0; i < 20; i++) expect(await status(port, '/status')).toBe(200);
    await until('the others are closed', () => silent.filter((each) => !each.destroyed).length <= 20);
  });

  it('has some left for health checks and for members when all others are busy', async () => {
    const { member, port } = await startMember(8);
    const watching = await Promise.all(Array.from({ length: 6 }, () => watch(port)));
    expect(await status(port, '/status')).toBe(503);
    expect(await status(port, '/liveness')).toBe(200);
    const peer = new WebSocket(`ws://127.0.0.1:${port}/link`);
    running.push(async () => peer.terminate());
    await once(peer, 'open');
    const identity = {
      cluster: 'caucus',
      incarnation: 1,
      life: 'b-1',
      url: 'http://127.0.0.1:9',
      process: null,
    };
    peer.send(encodeHello({ id: 'b', ...identity }));
    await until('linked', () => member.links[0]!.via === 'link');
    expect(watching.every((each) => !each.destroyed)).toBe(true);
    watching[0]!.destroy();
    await until('room again', async () => (await status(port, '/status')) === 200);
  });
});

describe('connections of strangers that say nothing', () => {
  const UPGRADE =
    'GET /link HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
    'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

  /** The status with which the next connection of a member is answered. */
  async function upgrade(port: number): Promise<string> {
    const socket = await open(port);
    socket.write(UPGRADE);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return String(answer).split('\r\n')[0]!;
  }

  it('keep no member out of one without a secret, however many there are', async () => {
    const { port } = await startMember(2000);
    for (let i = 0; i < 64 + 20; i++) expect(await upgrade(port)).toBe('HTTP/1.1 101 Switching Protocols');
    const isOpen = (each: Socket): boolean => !(each.destroyed || each.readableEnded);
    for (const each of sockets) each.resume();
    await until('64 are left', () => sockets.filter(isOpen).length <= 64);
  });

  it('are closed after some seconds, as are those with a part of a request', async () => {
    const server = await listen('127.0.0.1', 0, 100, (_request, response) => void response.end());
    running.push(() => closeServer(server));
    const { port } = server.address() as AddressInfo;
    const [silent, partly] = [await open(port), await open(port)];
    partly.write('GET / HTTP/1.1\r\nhost: loc');
    for (const each of [silent, partly]) each.resume();
    const startMs = performance.now();
    await Promise.all([once(silent, 'close'), once(partly, 'close')]);
    // Long before the time that a whole request may take.
    expect(performance.now() - startMs).toBeLessThan(9000);
  });
});

describe('an answer that is not read', () => {
  async function startLarge(most: number): Promise<{ server: Server; port: number }> {
    const server = await listen('127.0.0.1', 0, most, (request, response) => {
      response.on('error', () => {});
      response.end(request.url === '/large' ? Buffer.alloc(50_000_000) : 'small');
    });
    running.push(() => closeServer(server));
    return { server, port: (server.address() as AddressInfo).port };
  }

  it('makes room for those that ask', async () => {
    const { port } = await startLarge(4);
    const unread = await Promise.all(Array.from({ length: 4 }, () => open(port, '/large')));
    for (const each of unread) each.pause();
    await until('room', async () => (await status(port, '/small')) === 200);
    expect(await status(port, '/small')).toBe(200);
  });

  it('ends after ten seconds, and one that is read slowly does not', async () => {
    const { server, port } = await startLarge(100);
    const accepted: Socket[] = [];
    server.on('connection', (socket: Socket) => accepted.push(socket));
    const unread = await open(port, '/large');
    const slow = await open(port, '/large');
    unread.pause();
    slow.pause();
    await until('both are there', () => accepted.length === 2);
    const startMs = performance.now();
    const reading = setInterval(() => slow.read(500_000), 500);
    await once(accepted[0]!, 'close');
    expect(performance.now() - startMs).toBeGreaterThan(4000);
    expect(accepted[1]!.destroyed).toBe(false);
    clearInterval(reading);
    slow.resume();
    let bytes = 0;
    slow.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await until('the slow one gets the rest', () => bytes > 30_000_000);
  });
});

describe('a server whose links are closed already', () => {
  it('ends a connection of a member that comes late, and can be closed', async () => {
    const server = await listen('127.0.0.1', 0, 10, () => {});
    const socket = await open((server.address() as AddressInfo).port);
    socket.write(
      'GET /link HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    await once(socket, 'close');
    await closeServer(server);
  });
});

describe('requests that are sent without waiting for the answers', () => {
  const asked = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n';

  it('are answered as long as they are few', async () => {
    const { port } = await startMember(20);
    const socket = await open(port);
    let said = '';
    socket.on('data', (bytes) => {
      said += String(bytes);
    });
    socket.write(asked.repeat(16));
    await until('all are answered', () => said.split('HTTP/1.1 200').length - 1 === 16);
  });

  it('are not processed one and all if they are many, which would block the member', async () => {
    let processed = 0;
    const server = await listen('127.0.0.1', 0, 20, (_request, response) => {
      processed++;
      setImmediate(() => response.end());
    });
    running.push(() => closeServer(server));
    const socket = await open((server.address() as AddressInfo).port);
    socket.write(asked.repeat(1000));
    await once(socket, 'close');
    expect(processed).toBe(16);
  });
});
