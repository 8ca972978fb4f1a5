/** Requests of clients are read in turns, between which timers run and frames of members arrive. */
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientTurns, type Loop, type Waiting } from '../../src/api/client-turns.ts';
import { closeServer, listen } from '../../src/api/index.ts';
import { MemberTls } from '../../src/auth/index.ts';
import { TestCa } from '../support/test-ca.ts';

const SLICE_MS = 5;
const PIECE_BYTES = 1024;

/** A clock that only the test moves, and turns that end when the test says so. */
class TestLoop implements Loop {
  ms = 0;
  #due: (() => void)[] = [];

  now(): number {
    return this.ms;
  }

  afterThisTurn(callback: () => void): void {
    this.#due.push(callback);
  }

  endTurn(): void {
    for (const callback of this.#due.splice(0)) callback();
  }

  get isIdle(): boolean {
    return this.#due.length === 0;
  }
}

describe('the turns', () => {
  function start(): { loop: TestLoop; turns: ClientTurns; went: string[]; one: typeof one } {
    const loop = new TestLoop();
    const went: string[] = [];
    const one = (name: string, isPeer = false): Waiting => ({ isPeer, go: () => void went.push(name) });
    return { loop, turns: new ClientTurns(loop), went, one };
  }

  it('let all clients go on until the slice of this turn is used', () => {
    const { loop, turns, one } = start();
    expect(turns.ask(one('a'))).toBe(true);
    loop.ms += SLICE_MS - 1;
    expect(turns.ask(one('b'))).toBe(true);
    loop.ms += 1;
    expect(turns.ask(one('c'))).toBe(false);
  });

  it('then let one go on in each turn, the one that waited longest first', () => {
    const { loop, turns, went, one } = start();
    turns.ask(one('a'));
    loop.ms += SLICE_MS;
    const [b, c] = [one('b'), one('c')];
    for (const each of [b, c, b]) expect(turns.ask(each)).toBe(false);
    loop.endTurn();
    expect(went).toEqual(['b']);
    // It has more, and goes behind the other, although the slice of this turn is not used.
    expect(turns.ask(b)).toBe(false);
    loop.endTurn();
    expect(went).toEqual(['b', 'c']);
    loop.endTurn();
    expect(went).toEqual(['b', 'c', 'b']);
    loop.endTurn();
    expect(loop.isIdle).toBe(true);
    expect(turns.ask(b)).toBe(true);
  });

  it('let peers go on before clients that waited longer', () => {
    const { loop, turns, went, one } = start();
    turns.ask(one('a'));
    loop.ms += SLICE_MS;
    for (const each of [one('b'), one('c'), one('peer', true)]) turns.ask(each);
    loop.endTurn();
    loop.endTurn();
    expect(went).toEqual(['peer', 'b']);
  });

  it('pass over one that has left', () => {
    const { loop, turns, went, one } = start();
    turns.ask(one('a'));
    loop.ms += SLICE_MS;
    const gone = one('gone');
    for (const each of [gone, one('b')]) turns.ask(each);
    turns.leave(gone);
    loop.endTurn();
    expect(went).toEqual(['b']);
  });
});

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

describe.each([{ scheme: 'http' }, { scheme: 'https' }])('a server ($scheme)', ({ scheme }) => {
  async function start(onRequest: RequestListener, turns = new ClientTurns()): Promise<Server> {
    const files = await ca.member('a');
    const tls = new MemberTls(files, 'a', { cluster: 'caucus', names: new Map() });
    const serving = scheme === 'https' ? { tls, tell: () => {} } : null;
    const server = await listen('127.0.0.1', 0, 1000, onRequest, { tls: serving, turns });
    running.push(() => closeServer(server));
    return server;
  }

  async function open(server: Server): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const where = { port, host: '127.0.0.1' };
    const socket = scheme === 'https' ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, scheme === 'https' ? 'secureConnect' : 'connect');
    return socket;
  }

  it('handles one slice of requests and one piece of a connection in one turn, however much has arrived', async () => {
    const request = `GET /${'x'.repeat(80)} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const perPiece = Math.ceil(PIECE_BYTES / request.length);
    const loop = { ms: 0 };
    const turns = new ClientTurns({
      now: () => loop.ms,
      afterThisTurn: (callback) => void setImmediate(callback),
    });
    const perConnection = 100;
    const connections = 10;
    let handled = 0;
    // Each request takes a millisecond by the clock of the turns.
    const server = await start((_request, response) => {
      loop.ms++;
      handled++;
      response.end();
    }, turns);
    const clients = await Promise.all(Array.from({ length: connections }, () => open(server)));
    const handledInTurn: number[] = [];
    let before = handled;
    const all = connections * perConnection;
    const done = new Promise<void>((resolve) => {
      const onTurn = (): void => {
        handledInTurn.push(handled - before);
        before = handled;
        if (handled === all) resolve();
        else setImmediate(onTurn);
      };
      setImmediate(onTurn);
    });
    for (const each of clients) each.resume().write(request.repeat(perConnection));
    await done;
    // One turn of this test may see the end of one turn of the server and the beginning of the next.
    expect(Math.max(...handledInTurn)).toBeLessThanOrEqual(2 * (SLICE_MS + perPiece));
  });

  it('reads a large body as it was sent', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 251));
    const server = await start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.end(String(Buffer.concat(chunks).equals(body)));
    });
    const client = await open(server);
    client.write(
      `POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    client.write(body);
    let answer = '';
    for await (const text of client.setEncoding('utf8')) answer += text as string;
    expect(answer).toContain('\r\n\r\ntrue');
  });

  it('passes on everything that follows an upgrade, in its order', async () => {
    const server = await start(() => {});
    const after = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251));
    const received = new Promise<Buffer>((resolve) => {
      server.on('upgrade', (_request, socket: Socket, head: Buffer) => {
        sockets.push(socket);
        let all = Buffer.alloc(0);
        if (head.length > 0) socket.unshift(head);
        socket.on('data', (bytes: Buffer) => {
          all = Buffer.concat([all, bytes]);
          if (all.length >= after.length) resolve(all);
        });
      });
    });
    const client = await open(server);
    const padding = `x-padding: ${'x'.repeat(700)}`;
    const head = `GET /link HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: test\r\n${padding}\r\n\r\n`;
    client.write(Buffer.concat([Buffer.from(head), after]));
    expect((await received).equals(after)).toBe(true);
  });

  it('answers all requests of a client that begins to read late', async () => {
    const large = Buffer.alloc(200_000, 'x');
    const server = await start((_request, response) => void response.end(large));
    const client = await open(server);
    client.pause();
    const count = 40;
    const request = `GET /${'x'.repeat(400)} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const [accepted] = await Promise.all([
      once(server, 'request'),
      new Promise((resolve) => client.write(request.repeat(count), resolve)),
    ]);
    const [{ socket }] = accepted as [{ socket: Socket }];
    // The answers do not fit into the buffers, and the rest of the requests waits.
    while (!socket.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve));
    let bytes = 0;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.resume();
    while (bytes < count * large.length) await once(client, 'data');
    expect(client.destroyed).toBe(false);
  });
});
