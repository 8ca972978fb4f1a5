import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Connection } from '../../src/member/links/connection.ts';
import { dial } from '../../src/member/links/dial.ts';
import { encodeLocalToken, encodeMessage, readFrame } from '../../src/member/links/frames.ts';
import { LinkAuthentication } from '../../src/member/links/link-authentication.ts';
import { type LinkOptions, resolveLinkOptions } from '../../src/member/links/options.ts';
import { cleanUp, start } from '../support/link-bed.ts';
import { introduce, until } from '../support/linked.ts';

/** A server that keeps links and never says or answers anything by itself. */
async function startMute(): Promise<{ url: string; sockets: WebSocket[]; pings: Buffer[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false });
  await once(server, 'listening');
  const sockets: WebSocket[] = [];
  const pings: Buffer[] = [];
  server.on('connection', (ws) => {
    sockets.push(ws);
    ws.on('ping', (data) => pings.push(data));
  });
  cleanUp(async () => {
    for (const ws of sockets) ws.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, pings };
}

async function connect(url: string, options: LinkOptions): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const resolved = resolveLinkOptions(options);
    const authentication = new LinkAuthentication({ id: 1, cluster: 'test' }, resolved);
    dial(url, 2, resolved, authentication, (result) => {
      if (result.type === 'open') resolve(result.connection);
      else reject(new Error(JSON.stringify(result)));
    });
  });
}

describe('a connection', () => {
  it('tells when its last ping was answered, and by that answer only', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, {});
    let pongs = 0;
    const onPong = (): void => void pongs++;
    connection.owner = { onFrame() {}, onDrain() {}, onClosed() {}, onPong };
    connection.ping();
    connection.probe(60_000, () => {});
    await until('the pings came', () => mute.pings.length === 2);
    mute.sockets[0]!.pong('another');
    mute.sockets[0]!.pong(mute.pings[1]!);
    expect(pongs).toBe(0);
    mute.sockets[0]!.pong(mute.pings[0]!);
    await until('answered', () => pongs === 1);
    connection.terminate('enough');
  });

  it('tells that the other side is gone before the system lets go of the socket, and once', async () => {
    const mute = await startMute();
    const ws = new WebSocket(mute.url.replace('http', 'ws'));
    const upgraded = once(ws, 'upgrade') as Promise<[{ socket: Socket }]>;
    await once(ws, 'open');
    const [{ socket }] = await upgraded;
    const connection = new Connection(ws, socket, 'there', resolveLinkOptions({}));
    const order: string[] = [];
    connection.owner = {
      onFrame() {},
      onDrain() {},
      onPong() {},
      onClosed: (_, closing) => void order.push(closing),
    };
    const closed = once(ws, 'close');
    socket.once('close', () => order.push('socket'));
    await until('connected', () => mute.sockets.length === 1);
    mute.sockets[0]!.terminate();
    await closed;
    expect(order).toEqual(['ended', 'socket']);
  });

  it('puts the messages of one event into few frames, in their order among the others', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, {});
    await until('it came', () => mute.sockets.length === 1);
    const frames: string[] = [];
    mute.sockets[0]!.on('message', (data) => frames.push(data.toString()));
    const message = (i: number): string => encodeMessage('e', { type: `t${i}` });
    connection.sendMessage(message(0));
    connection.sendMessage(message(1));
    await until('one by one', () => frames.length === 2);
    connection.takesLists = true;
    for (let i = 2; i < 302; i++) connection.sendMessage(message(i));
    connection.send(encodeLocalToken('t'));
    connection.sendMessage(message(302));
    connection.flush();
    connection.sendMessage(message(303));
    connection.sendMessage(encodeMessage('e', { type: 'x'.repeat(200_000) }));
    connection.sendMessage(message(304));
    connection.close('enough'); // What was sent before still arrives.
    await until('all came', () => frames.length === 9);
    const read = frames.map(readFrame);
    const counts = read.map((frame) => (frame.type === 'messages' ? frame.messages.length : frame.type));
    expect(counts).toEqual([1, 1, 256, 44, 'local-token', 1, 1, 'bad', 1]);
    const types = read.flatMap((frame) =>
      frame.type === 'messages' ? frame.messages.map((each) => each.message.type) : [],
    );
    expect(types).toEqual(Array.from({ length: 305 }, (_, i) => `t${i}`));
  });

  it('has marks in its pings that cannot be guessed', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, {});
    for (let i = 0; i < 3; i++) connection.ping();
    await until('the pings came', () => mute.pings.length === 3);
    const secrets = mute.pings.map((mark) => mark.toString().split(' ')[1]!);
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{12}$/);
    connection.terminate('enough');
  });

  it('ends if the other side asks without end and never reads', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, { bufferBytes: 1000, frameBytes: 1000 });
    const closed = new Promise<string>((resolve) => {
      const onClosed = (_: Connection, __: unknown, reason: string): void => resolve(reason);
      connection.owner = { onFrame() {}, onDrain() {}, onPong() {}, onClosed };
    });
    const [ws] = mute.sockets;
    ws!.pause();
    const body = Buffer.alloc(125);
    let isOpen = true;
    void closed.then(() => {
      isOpen = false;
    });
    for (let sent = 0; isOpen && sent < 2_000_000; sent += 1000) {
      for (let i = 0; i < 1000 && isOpen; i++) ws!.ping(body);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await closed).toBe('it does not read what it is sent');
  });

  it('tells whether a probe was answered: by its own answer, in time', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, {});
    const answers: boolean[] = [];
    connection.probe(50, (answered) => answers.push(answered));
    await until('the probe came', () => mute.pings.length === 1);
    mute.sockets[0]!.pong('another');
    await until('too late', () => answers.length === 1);
    connection.probe(50, (answered) => answers.push(answered));
    await until('the second probe came', () => mute.pings.length === 2);
    connection.terminate('enough');
    await until('closed', () => answers.length === 2);
    connection.probe(50, (answered) => answers.push(answered));
    expect(answers).toEqual([false, false, false]);
  });

  it('tells that a probe was answered', async () => {
    const mute = await startMute();
    const connection = await connect(mute.url, {});
    const answered = new Promise<boolean>((resolve) => connection.probe(60_000, resolve));
    await until('the probe came', () => mute.pings.length === 1);
    mute.sockets[0]!.pong(mute.pings[0]!);
    expect(await answered).toBe(true);
    connection.terminate('enough');
  });
});

describe('a peer that has said who it is', () => {
  it('stays, long after the time in which it had to', async () => {
    const options = { helloMs: 150, pingMs: 20, missedPings: 100 };
    const [one, two] = [await start(1, options), await start(2, options)];
    introduce([one, two]);
    await until('up', () => one.events.length === 1 && two.events.length === 1);
    const upMs = performance.now();
    await until('long after', () => performance.now() - upMs > 400);
    const before = one.status(2).roundTripMs;
    await until('another ping', () => one.status(2).roundTripMs !== before);
    expect([one.events.length, two.events.length]).toEqual([1, 1]);
  });
});

describe('a peer that dials while it is being dialled', () => {
  it('is not dialled again when the attempt that it overtook comes to nothing', async () => {
    const mute = await startMute();
    const one = await start(1, { pingMs: 20 });
    const two = await start(2);
    one.links.setPeers([{ id: 2, url: mute.url }]);
    await until('the hello came', () => mute.sockets.length === 1);
    two.links.setPeers([{ id: 1, url: one.url }]);
    await until('up', () => one.events.length === 1);
    const closed = once(mute.sockets[0]!, 'close');
    mute.sockets[0]!.close();
    await closed;
    // Much longer than the first wait of the back-off, by the clock of the pings.
    for (let i = 0; i < 5; i++) {
      const before = one.status(2).roundTripMs;
      await until('another ping', () => one.status(2).roundTripMs !== before);
    }
    expect(mute.sockets).toHaveLength(1);
    introduce([one, two]);
    expect(one.events).toHaveLength(1);
  });
});
