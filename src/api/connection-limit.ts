/**
 * Limits the number of connections of a server, so that no client can block its port with idle connections.
 *
 * Each connection is silent (no request yet), busy (a request is being answered) or idle (all were answered). When
 * there are too many in all, or from one address, the one that has been silent or idle for longest is closed; after
 * those, one that has not read anything for a second. If all are busy, the new connection is refused; a small reserve
 * stays for health checks and for members. A client that reads nothing for ten seconds is disconnected in any case.
 *
 * A client may send requests without waiting for the answers, but not many: Node.js passes on all that arrived together
 * in one turn of the event loop, in which a leader cannot renew its lease. Example: 500 requests that take 12 ms each,
 * in one write of 25 kB, would block the member for six seconds.
 *
 * Connections of members (upgraded ones) are not counted: their links have their own limits.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isHealthPath } from './health.ts';

/**
 * After this time without activity the server checks whether the client has read anything since the last check; two
 * of them make ten seconds.
 */
const UNREAD_MS = 5000;
/** A client that has not read its answer after this long may be disconnected to make room. */
const STALLED_MS = 1000;
/** How many requests of one connection may wait for their answers; with more, it is closed. */
const MOST_WAITING = 16;
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
    // Behind a proxy, and on the loopback, all connections come from one address.
    this.#mostPerAddress = Math.max(1, most - Math.ceil(most / 4));
    server.maxConnections = most + RESERVE + 1;
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    const onUpgrade = (request: IncomingMessage): void => {
      this.#forget(request.socket);
      // While the member closes, no links are left that would answer, and a socket without an owner would keep the
      // server open.
      const isAnswered = server.listeners('upgrade').some((each) => !('isObserver' in each));
      if (!isAnswered) request.socket.destroy();
    };
    server.on('upgrade', Object.assign(onUpgrade, { isObserver: true }));
    // Called after this long without activity. Silence is allowed; unread data is not.
    server.setTimeout(UNREAD_MS, (socket) => {
      if (socket.writableLength > 0) socket.destroy();
    });
  }

  /** Call it for every request. False: the request was refused, and answered if its connection is still open. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (socket.destroyed) return false; // The rest of what arrived together.
    const entry = this.#entries.get(socket);
    if (entry === undefined) return true;
    if (entry.busy >= MOST_WAITING) {
      socket.destroy();
      return false;
    }
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

  /** Closes one connection, of this address if one is given. The map is in the order in which they came. */
  #makeRoom(address: string | null): boolean {
    let found: Socket | null = null;
    let foundMs = Number.POSITIVE_INFINITY;
    for (const [socket, entry] of this.#entries) {
      if (address !== null && entry.address !== address) continue;
      // Connections that are not busy go before those that do not read.
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
