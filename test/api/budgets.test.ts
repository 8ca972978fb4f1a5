/** Clients cannot use up the connections that members and health checks need. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../src/api/index.ts';
import { MemberTls } from '../../src/auth/index.ts';
import { join } from '../../src/member/index.ts';
import { until } from '../support/linked.ts';
import { TestCa } from '../support/test-ca.ts';

/** Clients with many connections, one with few, and a member. All are of this machine: the loopback has many addresses. */
const CROWD = '127.0.0.2';
const FEW = '127.0.0.3';
const LATE = '127.0.0.4';
const PEER = '127.0.0.9';
const LARGE = Buffer.alloc(20_000_000);

let ca: TestCa;
const sockets: Socket[] = [];
const running: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ca = await TestCa.open();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((stop) => stop()));
});

afterAll(() => ca.close());

/** `/large` is more than buffers take, and the answer of `/busy` never ends. */
async function startServer(most: number, hasTls = false): Promise<{ server: Server; port: number }> {
  const files = await ca.member('a');
  const tls = hasTls ? new MemberTls(files, 'a', { cluster: 'caucus', names: new Map() }) : null;
  const server = await listen(
    '127.0.0.1',
    0,
    most,
    (request, response) => {
      response.on('error', () => {});
      if (request.url === '/busy') response.write('wait');
      else response.end(request.url === '/large' ? LARGE : 'small');
    },
    {
      tls: tls === null ? null : { tls, tell: () => {} },
      isPeerAddress: (address) => address === PEER,
    },
  );
  running.push(() => closeServer(server));
  return { server, port: (server.address() as AddressInfo).port };
}

async function open(port: number, localAddress: string, path?: string, hasTls = false): Promise<Socket> {
  const where = { port, host: '127.0.0.1', localAddress };
  const socket = hasTls ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, hasTls ? 'secureConnect' : 'connect');
  if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

/** The status of an answer, or null if the connection was closed without one. */
async function status(port: number, address: string, path: string, hasTls = false): Promise<number | null> {
  const socket = await open(port, address, path, hasTls);
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
  socket.destroy();
  return answer === null ? null : Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer[0]))![1]);
}

function isOpen(socket: Socket): boolean {
  return !socket.destroyed;
}

describe('a client with many connections', () => {
  it('displaces its own, not the older one of another client', async () => {
    const { port } = await startServer(20);
    const few = await open(port, FEW);
    const crowd = await Promise.all(Array.from({ length: 15 }, () => open(port, CROWD)));
    const others = await Promise.all(Array.from({ length: 4 }, () => open(port, LATE)));
    for (const each of [few, ...crowd, ...others]) each.resume();
    // Twenty are open, which is all: the next one takes the place of one of the crowd.
    expect(await status(port, LATE, '/')).toBe(200);
    await until('one of the crowd is closed', () => crowd.filter(isOpen).length === 14);
    expect([few, ...others].every(isOpen)).toBe(true);
  });

  it('has at most three quarters of all', async () => {
    const { port } = await startServer(20);
    const crowd = await Promise.all(Array.from({ length: 100 }, () => open(port, CROWD)));
    for (const each of crowd) each.resume();
    await until('the others are closed', () => crowd.filter(isOpen).length === 15);
  });
});

describe('when all connections are busy', () => {
  /** 15 are the most of one address. Then silent ones come, for which there is only the reserve. */
  async function fill(port: number): Promise<void> {
    for (let i = 0; i < 20; i++) await once(await open(port, i < 15 ? CROWD : LATE, '/busy'), 'data');
    for (let i = 0; i < 50; i++) (await open(port, `127.0.1.${i}`)).resume();
  }

  it('a member still connects and is answered, and a client is not', async () => {
    const { port } = await startServer(20);
    await fill(port);
    expect(await status(port, FEW, '/')).not.toBe(200);
    expect(await status(port, PEER, '/')).toBe(200);
  });

  it('a health check is answered', async () => {
    const { port } = await startServer(20);
    await fill(port);
    expect(await status(port, FEW, '/liveness')).toBe(200);
    expect(await status(port, CROWD, '/liveness')).toBe(200);
  });
});

describe('over TLS', () => {
  it('connections that read nothing make room for those that ask', async () => {
    const { port } = await startServer(4, true);
    const unread = await Promise.all([
      ...Array.from({ length: 3 }, () => open(port, CROWD, '/large', true)),
      open(port, LATE, '/large', true),
    ]);
    for (const each of unread) each.pause();
    await until('room', async () => (await status(port, FEW, '/', true)) === 200);
  });

  it('an answer that is not read ends after ten seconds', async () => {
    const { server, port } = await startServer(100, true);
    const accepted: Socket[] = [];
    server.on('secureConnection', (socket: Socket) => accepted.push(socket));
    const unread = await open(port, CROWD, '/large', true);
    unread.pause();
    await until('it is there', () => accepted.length === 1);
    await once(accepted[0]!, 'close');
  });

  it('connections without a handshake are closed for those that ask', async () => {
    const { port } = await startServer(20, true);
    const silent = await Promise.all(Array.from({ length: 100 }, () => open(port, CROWD)));
    for (const each of silent) each.resume();
    for (let i = 0; i < 20; i++) expect(await status(port, CROWD, '/', true)).toBe(200);
    await until('the others are closed', () => silent.filter(isOpen).length <= 15);
  });
});

describe.each([{ scheme: 'http' }, { scheme: 'https' }])('a member ($scheme)', ({ scheme }) => {
  it('answers /liveness while 2,000 connections are held that read nothing', async () => {
    const hasTls = scheme === 'https';
    const member = await join({ id: 'a', ...(hasTls ? { tls: await ca.member('a') } : {}) });
    running.push(() => member.close());
    const port = Number(new URL(member.url).port);
    for (let batch = 0; batch < 20; batch++) {
      const opened = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          open(port, `127.0.1.${i % 4}`, i % 2 ? '/watch' : '/ui/', hasTls),
        ),
      );
      for (const each of opened) each.pause();
    }
    for (let i = 0; i < 20; i++) {
      expect(await status(port, FEW, '/liveness', hasTls)).toBe(200);
      expect(await status(port, CROWD, '/liveness', hasTls)).toBe(200);
    }
  });
});
