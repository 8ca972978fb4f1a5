/** Which connections make room for others, by a clock that the test moves. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionLimit } from '../../src/api/connection-limit.ts';

class Connection extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  destroyed = false;
  writableLength = 0;
  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** Without a timeout that would close unread connections in the end. */
class FakeServer extends EventEmitter {
  maxConnections = 0;
  setTimeout(): this {
    return this;
  }
}

let server: FakeServer;
let limit: ConnectionLimit;
let ports: number;

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  limit = new ConnectionLimit(server as unknown as Server, 4);
  ports = 0;
});
afterEach(() => vi.useRealTimers());

/** Connects and asks. `unread`: how much of the answer its client has not read. `complete`: has it sent the whole request? */
function asks(address: string, unread: number, complete = true): { socket: Connection; isAnswered: boolean } {
  const socket = new Connection(address, ++ports);
  server.emit('connection', socket as unknown as Socket);
  if (socket.destroyed) return { socket, isAnswered: false };
  const response = Object.assign(new EventEmitter(), { writeHead: () => response, end: () => response });
  const request = { socket, url: '/', complete } as unknown as IncomingMessage;
  const isAnswered = limit.admit(request, response as unknown as ServerResponse);
  socket.writableLength = unread;
  return { socket, isAnswered };
}

describe('a connection whose client has read nothing for a second', () => {
  it('makes room for one that asks, and only one of them', () => {
    const unread = ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map(
      (each) => asks(each, 1000).socket,
    );
    vi.advanceTimersByTime(999);
    expect(asks('127.0.0.5', 0).isAnswered).toBe(false);
    vi.advanceTimersByTime(1);
    expect(asks('127.0.0.5', 0).isAnswered).toBe(true);
    expect(unread.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
  });

  it('makes room too if it has not finished its request', () => {
    for (const each of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) asks(each, 0);
    const { socket } = asks('127.0.0.2', 0, false);
    vi.advanceTimersByTime(999);
    expect(asks('127.0.0.5', 0).isAnswered).toBe(false);
    vi.advanceTimersByTime(1);
    expect(asks('127.0.0.5', 0).isAnswered).toBe(true);
    expect(socket.destroyed).toBe(true);
  });

  it('is one that has something to read: those that are being answered stay', () => {
    for (const each of ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.4']) asks(each, 0);
    vi.advanceTimersByTime(60_000);
    expect(asks('127.0.0.5', 0).isAnswered).toBe(false);
  });
});
