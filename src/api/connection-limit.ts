/**
 * Limits the number of connections of a server, so that no client can block its port with idle connections.
 *
 * Each connection is silent (no request yet), busy (a request is being answered) or idle (all were answered). When
 * there are too many in all, or from one address, one is closed that is silent or idle, or whose client has neither read
 * nor finished its request for a second: of the address that has most connections, so that a client with many does not displace others with few. If
 * all are busy, the new connection is refused; a small reserve stays for health checks and for members. A client that
 * reads nothing for ten seconds is disconnected in any case.
 *
 * Connections from the addresses of peers have a reserve of their own, which no other address can use up.
 *
 * A client may send requests without waiting for the answers, but not many: Node.js passes on all that arrived together
 * in one turn of the event loop, in which a leader cannot renew its lease. Example: 500 requests that take 12 ms each,
 * in one write of 25 kB, would block the member for six seconds.
 *
 * Connections of members (upgraded ones) are not counted: their links have their own limits.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { isHealthPath } from './health.ts';

/**
 * After this time without activity the server checks whether the client has read anything since the last check; two
 * of them make ten seconds.
 */
const UNREAD_MS = 5000;
/** A client that has not read its answer, or not finished its request, after this long may be disconnected to make room. */
const STALLED_MS = 1000;
/** How many requests of one connection may wait for their answers; with more, it is closed. */
const MOST_WAITING = 16;
/** For health checks and members, when all others are busy; at most this share of it for one address. */
const RESERVE = 32;
const MOST_RESERVE_PER_ADDRESS = 16;
/** For connections from the addresses of peers, before they are those of a link. */
const PEER_RESERVE = 64;

type Kind = 'usual' | 'reserve' | 'peer';

interface Entry {
  /** The address, or the network that one client of IPv6 has. */
  readonly group: string;
  readonly kind: Kind;
  /** With TLS, the one inside once the handshake is over: only that one knows what was not read. */
  socket: Socket;
  /** Requests that are being answered. */
  busy: number;
  /** The last one. */
  request: IncomingMessage | null;
  /** Since when it has been silent, busy or idle. */
  sinceMs: number;
}

export class ConnectionLimit {
  readonly #most: number;
  readonly #mostPerAddress: number;
  readonly #isPeer: (socket: Socket) => boolean;
  /** By address and port of the client, which a connection and the TLS inside of it have in common. */
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new Map<string, number>();
  readonly #kinds: Record<Kind, number> = { usual: 0, reserve: 0, peer: 0 };

  constructor(server: Server, most: number, isPeer: (socket: Socket) => boolean = () => false) {
    this.#most = most;
    // Behind a proxy, and on the loopback, all connections come from one address.
    this.#mostPerAddress = Math.max(1, most - Math.ceil(most / 4));
    this.#isPeer = isPeer;
    server.maxConnections = most + RESERVE + PEER_RESERVE + 1;
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    server.on('secureConnection', (socket: Socket) => {
      const entry = this.#entries.get(keyOf(socket));
      if (entry !== undefined) entry.socket = socket;
    });
    const onUpgrade = (request: IncomingMessage): void => {
      this.#forget(keyOf(request.socket));
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
    const entry = this.#entries.get(keyOf(socket));
    if (entry === undefined) return true;
    if (entry.busy >= MOST_WAITING) {
      socket.destroy();
      return false;
    }
    entry.busy++;
    entry.request = request;
    entry.sinceMs = performance.now();
    response.once('close', () => {
      entry.busy--;
      entry.sinceMs = performance.now();
    });
    if (entry.kind !== 'reserve' || isHealthPath(request.url?.split('?')[0] ?? '')) return true;
    response.writeHead(503, { connection: 'close', 'content-length': '0' }).end();
    return false;
  }

  #onConnection(socket: Socket): void {
    const key = keyOf(socket);
    const group = groupOf(addressOfClient(socket));
    const kind = this.#kindFor(socket, group);
    if (kind === null) {
      socket.destroy();
      return;
    }
    this.#entries.set(key, { group, kind, socket, busy: 0, request: null, sinceMs: performance.now() });
    this.#groups.set(group, this.#countOf(group) + 1);
    this.#kinds[kind]++;
    socket.once('close', () => this.#forget(key));
  }

  /** Makes room if it must. Null: the connection is refused. */
  #kindFor(socket: Socket, group: string): Kind | null {
    if (this.#isPeer(socket) && this.#kinds.peer < PEER_RESERVE) return 'peer';
    const isFull = this.#kinds.usual >= this.#most;
    const isCrowd = this.#countOf(group) >= this.#mostPerAddress;
    if (!(isFull || isCrowd) || this.#makeRoom('usual', isFull ? null : group)) return 'usual';
    const isReserveFull = this.#kinds.reserve >= RESERVE;
    const isCrowdThere = this.#reserveOf(group) >= MOST_RESERVE_PER_ADDRESS;
    const hasRoom = !(isReserveFull || isCrowdThere);
    return hasRoom || this.#makeRoom('reserve', isReserveFull ? null : group) ? 'reserve' : null;
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#kinds[entry.kind]--;
    const left = this.#countOf(entry.group) - 1;
    if (left > 0) this.#groups.set(entry.group, left);
    else this.#groups.delete(entry.group);
  }

  #countOf(group: string): number {
    return this.#groups.get(group) ?? 0;
  }

  #reserveOf(group: string): number {
    let count = 0;
    for (const entry of this.#entries.values())
      if (entry.kind === 'reserve' && entry.group === group) count++;
    return count;
  }

  /** Closes one connection of this kind, and of this address if one is given. */
  #makeRoom(kind: Kind, group: string | null): boolean {
    let found: { readonly key: string; readonly entry: Entry } | null = null;
    for (const [key, entry] of this.#entries) {
      if (entry.kind !== kind || (group !== null && entry.group !== group)) continue;
      if (entry.busy > 0 && !isStalled(entry)) continue;
      if (found === null || this.#goesBefore(entry, found.entry)) found = { key, entry };
    }
    if (found === null) return false;
    this.#forget(found.key);
    found.entry.socket.destroy();
    return true;
  }

  /** Of the address that has most; those that are not busy before the others; the oldest first. */
  #goesBefore(one: Entry, other: Entry): boolean {
    const more = this.#countOf(one.group) - this.#countOf(other.group);
    if (more !== 0) return more > 0;
    const [isBusy, isOtherBusy] = [one.busy > 0, other.busy > 0];
    return isBusy === isOtherBusy ? one.sinceMs < other.sinceMs : isOtherBusy;
  }
}

function isStalled({ socket, request, sinceMs }: Entry): boolean {
  const isWaiting = socket.writableLength > 0 || request?.complete === false;
  return isWaiting && performance.now() - sinceMs >= STALLED_MS;
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Without the prefix of an address of IPv4 that a socket of IPv6 shows. */
export function addressOfClient({ remoteAddress }: Socket): string {
  return (remoteAddress ?? '').replace(/^::ffff:/, '');
}

/** A client of IPv6 has a whole network of addresses: the first four of eight groups. */
function groupOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const all =
    after === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return all.slice(0, 4).join(':');
}
