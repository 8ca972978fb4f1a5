/**
 * Keeps a server within its number of connections, so that no client can hold its port with connections that do nothing.
 *
 * Each connection is silent (it has asked nothing), busy (it is being answered) or idle (it was answered). When there are too many
 * in all, or from one address, the one that has been silent or idle for longest makes room; after those, one that has not read
 * anything for a second. If all are busy, the newcomer is refused; a small reserve stays for health checks and for members.
 * What is not read for ten seconds ends in any case.
 *
 * Connections of members (upgraded ones) are not counted: their links have bounds of their own.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isHealthPath } from './health.ts';

/** After this time without news it is looked whether anything was read since the last look, so two of them make ten seconds. */
const UNREAD_MS = 5000;
/** One that has not read its answer after this long may be closed to make room. */
const STALLED_MS = 1000;
/** For health checks and members, when all others are busy. */
const RESERVE = 32;

interface Entry {
  readonly address: string;
  readonly isReserve: boolean;
  /** Requests that are being answered. */
  busy: number;
  /** Since when it has been silent, busy or idle. */
  sinceMs: number;
}

export class ConnectionLimit {
  readonly #most: number;
  readonly #mostPerAddress: number;
  readonly #entries = new Map<Socket, Entry>();

  constructor(server: Server, most: number) {
    this.#most = most;
    // Behind a proxy, and on the loopback, all come from one address.
    this.#mostPerAddress = Math.max(1, most - Math.ceil(most / 4));
    server.maxConnections = most + RESERVE + 1;
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    const onUpgrade = (request: IncomingMessage): void => {
      this.#forget(request.socket);
      // While the member closes, no links are left that would answer, and a socket without an owner would keep the server open.
      const isAnswered = server.listeners('upgrade').some((each) => !('isObserver' in each));
      if (!isAnswered) request.socket.destroy();
    };
    server.on('upgrade', Object.assign(onUpgrade, { isObserver: true }));
    // Told when nothing has come or gone for so long. Silence is allowed; what waits to be read is not.
    server.setTimeout(UNREAD_MS, (socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
  }

  /** Is to be called with every request. False if it must not be answered, which has been said. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const entry = this.#entries.get(request.socket);
    if (entry === undefined) return true;
    entry.busy++;
    entry.sinceMs = performance.now();
    response.once('close', () => {
      entry.busy--;
      entry.sinceMs = performance.now();
    });
    if (!entry.isReserve || isHealthPath(request.url?.split('?')[0] ?? '')) return true;
    response.writeHead(503, { connection: 'close', 'content-length': '0' }).end();
    return false;
  }

  #onConnection(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const isFull = this.#entries.size >= this.#most;
    const isCrowd = this.#countOf(address) >= this.#mostPerAddress;
    const hasRoom = !(isFull || isCrowd) || this.#makeRoom(isFull ? null : address);
    if (!hasRoom && this.#entries.size >= this.#most + RESERVE) {
      socket.destroy();
      return;
    }
    this.#entries.set(socket, {
      address,
      isReserve: !hasRoom,
      busy: 0,
      sinceMs: performance.now(),
    });
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    this.#entries.delete(socket);
  }

  #countOf(address: string): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.address === address) count++;
    return count;
  }

  /** Closes one connection, of this address if one is given. They stand in the order in which they came. */
  #makeRoom(address: string | null): boolean {
    let found: Socket | null = null;
    let foundMs = Number.POSITIVE_INFINITY;
    for (const [socket, entry] of this.#entries) {
      if (address !== null && entry.address !== address) continue;
      // Whatever is not busy goes before whatever does not read.
      const rank =
        entry.busy === 0 ? entry.sinceMs : this.#isStalled(socket, entry) ? 1e15 + entry.sinceMs : null;
      if (rank === null || rank >= foundMs) continue;
      found = socket;
      foundMs = rank;
    }
    if (found === null) return false;
    this.#forget(found);
    found.destroy();
    return true;
  }

  #isStalled(socket: Socket, { sinceMs }: Entry): boolean {
    return socket.writableLength > 0 && performance.now() - sinceMs >= STALLED_MS;
  }
}
