import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { assert, type MemberId, type Message } from '../../core/index.ts';
import { Connection } from './connection.ts';
import { encodeMessage, objection } from './frames.ts';
import { awaitHello, type Greeting } from './greeting.ts';
import type { Hub } from './hub.ts';
import type { Identity, LinkEvents, LinkStatus, Links, Peer } from './links.ts';
import { LocalSocket } from './local-socket.ts';
import { type LinkOptions, type ResolvedLinkOptions, resolveLinkOptions } from './options.ts';
import { PeerLink } from './peer-link.ts';
import { Poster } from './post.ts';
import type { Outgoing } from './queue.ts';

export function createLinks(identity: Identity, events: LinkEvents, options: LinkOptions = {}): Links {
  return new AllLinks(identity, events, resolveLinkOptions(options));
}

class AllLinks implements Links, Hub {
  readonly own: Identity;
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  readonly local: LocalSocket | null;
  closed = false;

  readonly #peers = new Map<MemberId, PeerLink>();
  readonly #connections = new Set<Connection>();
  readonly #acceptor: WebSocketServer;
  readonly #pinging: NodeJS.Timeout;
  readonly #detachments: (() => void)[] = [];
  readonly #strangers = new Set<Connection>();
  #lastWritten: Outgoing | null = null;
  #closing: Promise<void> | null = null;

  constructor(own: Identity, events: LinkEvents, options: ResolvedLinkOptions) {
    this.local = own.process === null ? null : new LocalSocket();
    this.own = this.local === null ? own : { ...own, localSocket: this.local.name };
    this.events = events;
    this.options = options;
    this.poster = new Poster(own, options);
    this.#acceptor = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.frameBytes,
    });
    this.#pinging = setInterval(() => {
      for (const peer of this.#peers.values()) peer.ping();
    }, options.pingMs);
  }

  get status(): readonly LinkStatus[] {
    return [...this.#peers.values()].map((peer) => peer.status);
  }

  setPeers(peers: readonly Peer[]): void {
    if (this.closed) return;
    const wanted = new Map(peers.filter(({ id }) => id !== this.own.id).map(({ id, url }) => [id, url]));
    for (const [id, peer] of this.#peers) {
      if (wanted.has(id)) continue;
      this.#peers.delete(id);
      peer.close('it is no longer a peer');
    }
    for (const [id, url] of wanted) {
      const peer = this.#peers.get(id);
      if (peer === undefined) this.#peers.set(id, new PeerLink(id, url, this));
      else peer.moveTo(url);
    }
  }

  send(to: MemberId, election: string, message: Message): void {
    const peer = this.#peers.get(to);
    if (peer === undefined || this.closed) return;
    const written = this.#write(election, message);
    if (written.bytes > this.options.frameBytes) peer.traffic.dropped++;
    else peer.send(written);
  }

  /** A message to all members is put into writing once: protocols send one and the same object to each of them. */
  #write(election: string, message: Message): Outgoing {
    const last = this.#lastWritten;
    if (last !== null && last.message === message && last.election === election) return last;
    const frame = encodeMessage(election, message);
    this.#lastWritten = { election, message, frame, bytes: Buffer.byteLength(frame) };
    return this.#lastWritten;
  }

  attach(server: Server): void {
    const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      if (this.handleUpgrade(request, socket, head)) return;
      // Another listener may answer it; an observer does not.
      const others = server
        .listeners('upgrade')
        .filter((each) => each !== onUpgrade && !('isObserver' in each));
      if (others.length > 0) return;
      refuseUpgrade(socket, '404 Not Found');
    };
    server.on('upgrade', onUpgrade);
    this.#detachments.push(() => server.off('upgrade', onUpgrade));
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#isOurs(request)) return false;
    // Members send no Origin; browsers always do. A page of some web site must not reach a member on this machine.
    if (request.headers.origin !== undefined) refuseUpgrade(socket, '403 Forbidden');
    else if (this.closed || this.#strangers.size >= this.options.strangers) {
      refuseUpgrade(socket, '503 Service Unavailable');
    } else {
      this.#acceptor.handleUpgrade(request, socket, head, (ws) => this.#onAccepted(ws, socket, request));
    }
    return true;
  }

  refuseUpgrade(request: IncomingMessage, socket: Duplex): boolean {
    if (!this.#isOurs(request)) return false;
    refuseUpgrade(socket, '403 Forbidden');
    return true;
  }

  close(): Promise<void> {
    this.closed = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Remembers a connection until it is closed. */
  track(connection: Connection): void {
    this.#connections.add(connection);
    connection.whenClosed(() => this.#connections.delete(connection));
  }

  /** The path may or may not carry the prefix of this member's URL: a proxy before it may have taken it off. */
  #isOurs(request: IncomingMessage): boolean {
    const path = request.url?.split('?')[0];
    const prefix = URL.canParse(this.own.url) ? new URL(this.own.url).pathname.replace(/\/+$/, '') : '';
    return path === this.options.path || path === prefix + this.options.path;
  }

  #onAccepted(ws: WebSocket, socket: Duplex, request: IncomingMessage): void {
    const { remoteAddress, remotePort } = request.socket;
    const connection = new Connection(ws, socket, false, `${remoteAddress}:${remotePort}`, this.options);
    this.track(connection);
    this.#strangers.add(connection);
    connection.whenClosed(() => this.#strangers.delete(connection));
    awaitHello(connection, this.options.helloMs, (greeting) => this.#onGreeting(connection, greeting));
  }

  #onGreeting(connection: Connection, greeting: Greeting): void {
    if (greeting.type === 'closed') return;
    if (greeting.type === 'hello') {
      const refused = objection(this.own, greeting.identity, (id) => this.#peers.has(id));
      if (refused === null) {
        const peer = this.#peers.get(greeting.identity.id);
        assert(peer !== undefined, 'a peer without objection is known');
        this.#strangers.delete(connection);
        peer.claim(connection, greeting.identity);
        return;
      }
      connection.refuse(refused);
      this.events.onRefused(refused.reason, connection.remote, refused.kind);
    } else {
      connection.refuse(greeting.refused);
      this.events.onRefused(greeting.refused.reason, connection.remote, greeting.refused.kind);
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#pinging);
    this.local?.close();
    for (const detach of this.#detachments) detach();
    for (const connection of this.#connections) connection.leave();
    for (const peer of this.#peers.values()) peer.close('this member left');
    this.poster.close();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        for (const connection of this.#connections) connection.terminate('this member left');
      }, this.options.goodbyeMs);
      const check = (): void => {
        if (this.#connections.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
      for (const connection of this.#connections) connection.whenClosed(check);
      check();
    });
  }
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  // Ending closes one half only, and the other side need never close its own: then no server could ever be closed.
  const answer = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
  socket.end(answer, () => socket.destroy());
}
