import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { removedWords } from '../../api/index.ts';
import type { MemberId, Message } from '../../core/index.ts';
import type { DeathReport, HostIdentity } from '../../peers/index.ts';
import { MEMBER_HEADER } from './dial.ts';
import { encodeMessage } from './frames.ts';
import type { Hub } from './hub.ts';
import { LinkAuthentication } from './link-authentication.ts';
import type { Identity, LinkEvents, LinkStatus, Links, Peer } from './links.ts';
import { type LinkOptions, type ResolvedLinkOptions, resolveLinkOptions } from './options.ts';
import { PeerLink } from './peer-link.ts';
import { PeersHost } from './peers-host.ts';
import { type Posted, Poster } from './post.ts';
import type { Outgoing } from './queue.ts';

export function createLinks(identity: Identity, events: LinkEvents, options: LinkOptions = {}): Links {
  return new AllLinks(identity, events, resolveLinkOptions(options));
}

class AllLinks implements Links, Hub {
  readonly events: LinkEvents;
  readonly options: ResolvedLinkOptions;
  readonly poster: Poster;
  readonly authentication: LinkAuthentication;
  closed = false;

  readonly #own: Identity;
  readonly #host: PeersHost;
  readonly #acceptor: WebSocketServer;
  readonly #detachments: (() => void)[] = [];
  #lastWritten: Outgoing | null = null;
  #closing: Promise<void> | null = null;

  constructor(own: Identity, events: LinkEvents, options: ResolvedLinkOptions) {
    this.#own = own;
    this.events = events;
    this.options = options;
    this.poster = new Poster(own, options);
    this.authentication = new LinkAuthentication(own, options);
    this.#host = new PeersHost(own, this);
    this.#acceptor = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      autoPong: false, // Connections answer pings themselves, and only once they are proven.
      perMessageDeflate: false,
      maxPayload: this.authentication.largestFrame,
    });
    const stop = options.secrets?.onChange(() => this.#host.renew());
    if (stop !== undefined) this.#detachments.push(stop);
  }

  get status(): readonly LinkStatus[] {
    return [...this.#host.links].map(([id, link]) => link.status(this.#host.processOf(id) !== null));
  }

  featuresOf(peer: MemberId): readonly string[] | null {
    const process = this.#host.processOf(peer);
    return process === null ? null : (process.features ?? []);
  }

  setPeers(peers: readonly Peer[], removed: readonly MemberId[] = []): void {
    if (this.closed) return;
    this.#host.removed = removed;
    const { links } = this.#host;
    const wanted = new Map(peers.filter(({ id }) => id !== this.#own.id).map(({ id, url }) => [id, url]));
    for (const id of [...links.keys()]) {
      if (wanted.has(id)) continue;
      this.#host.give({ type: 'peer-removed', peer: id });
      links.delete(id);
    }
    for (const [id, url] of wanted) {
      const link = links.get(id);
      if (link === undefined) {
        links.set(id, new PeerLink(id, url, this, () => this.#host.give({ type: 'rest-failed', peer: id })));
        this.#host.give({ type: 'peer-added', peer: id });
      } else if (link.url !== url) {
        link.moveTo(url);
        this.#host.give({ type: 'peer-moved', peer: id });
      }
    }
  }

  send(to: MemberId, election: string, message: Message): void {
    const peer = this.#host.links.get(to);
    if (peer === undefined || this.closed) return;
    const written = this.#write(election, message);
    if (written.bytes > this.options.frameBytes) peer.traffic.dropped++;
    else peer.send(written);
  }

  flush(): void {
    for (const peer of this.#host.links.values()) peer.push();
  }

  call(
    url: string,
    to: MemberId | null,
    election: string,
    message: Message,
    done: (result: Posted) => void,
  ): void {
    if (this.closed) return;
    this.poster.post(url, to, { election, message }, (result) => {
      if (this.closed) return;
      if (result.type === 'failed' && result.refused !== undefined)
        this.events.onRefused(result.refused.reason, url, result.refused.kind, 'refused', true);
      done(result);
    });
  }

  heardByPost(from: MemberId): void {
    this.#host.give({ type: 'posted', peer: from });
  }

  reported(witness: MemberId, host: HostIdentity, report: DeathReport): void {
    this.#host.give({ type: 'reported', witness, host, report });
  }

  get own(): Identity {
    return this.#host.own;
  }

  drew(token: string): boolean {
    return this.#host.drew(token);
  }

  /** A broadcast is encoded once: protocols send the same object to each member. */
  #write(election: string, message: Message): Outgoing {
    const last = this.#lastWritten;
    if (last !== null && last.message === message && last.election === election) return last;
    const frame = encodeMessage(election, message);
    const earlier = (features: readonly string[]): string => {
      const fitting = this.options.forEarlierRelease(message, features);
      return fitting === message ? frame : encodeMessage(election, fitting);
    };
    this.#lastWritten = { election, message, frame, bytes: Buffer.byteLength(frame), earlier };
    return this.#lastWritten;
  }

  attach(server: Server): void {
    const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      if (this.handleUpgrade(request, socket, head)) return;
      // Another upgrade listener may answer the request; an observer does not.
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
    const stranger = this.#whyStranger(request);
    // Members send no Origin header; browsers always do. A page of some web site must not reach a member on this
    // machine.
    if (request.headers.origin !== undefined) refuseUpgrade(socket, '403 Forbidden');
    else if (stranger !== null)
      refuseUpgrade(socket, '401 Unauthorized', { code: 'E_CERTIFICATE', message: stranger });
    else if (this.#isRemoved(request)) {
      const { id } = this.#own;
      refuseUpgrade(socket, '410 Gone', { code: 'E_REMOVED', message: removedWords(id, nameOf(request)) });
    } else if (this.closed) refuseUpgrade(socket, '503 Service Unavailable');
    else {
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

  /** The path may or may not have the prefix of this member's URL: a proxy may have removed it. */
  #isOurs(request: IncomingMessage): boolean {
    const path = request.url?.split('?')[0];
    const prefix = URL.canParse(this.#own.url) ? new URL(this.#own.url).pathname.replace(/\/+$/, '') : '';
    return path === this.options.path || path === prefix + this.options.path;
  }

  /** With TLS, only a member that shows its certificate may open a link. Returns why this one may not, or null. */
  #whyStranger({ socket }: IncomingMessage): string | null {
    const named = this.options.tls?.peerOf(socket);
    if (named === undefined || 'id' in named) return null;
    this.events.onRefused(named.reason, remoteOf(socket), 'unauthenticated', 'refused', false);
    return `${this.#own.id} does not accept the certificate of the client: ${named.reason}`;
  }

  /** It is only told so: what a process says of itself before its proof gives it nothing. */
  #isRemoved(request: IncomingMessage): boolean {
    const name = nameOf(request);
    return this.#host.removed.some((id) => String(id) === name);
  }

  #onAccepted(ws: WebSocket, socket: Duplex, request: IncomingMessage): void {
    const remote = remoteOf(request.socket);
    const named = this.options.tls?.peerOf(request.socket);
    const certifiedId = named !== undefined && 'id' in named ? named.id : null;
    this.authentication.asResponder({ ws, socket, remote, certifiedId }, (result) => {
      if (result.type === 'open') this.#host.accepted(result.connection);
      else if (result.type === 'refused' && !this.closed)
        this.events.onRefused(result.refused.reason, remote, result.refused.kind, result.verdict, false);
    });
  }

  async #close(): Promise<void> {
    for (const detach of this.#detachments) detach();
    this.authentication.close();
    this.#host.close();
    this.poster.close();
    await new Promise<void>((resolve) => {
      const open = new Set(this.#host.connections);
      const timer = setTimeout(() => {
        for (const connection of open) connection.terminate('this member left');
      }, this.options.goodbyeMs);
      const check = (): void => {
        if (open.size > 0) return;
        clearTimeout(timer);
        resolve();
      };
      for (const connection of open) {
        connection.whenClosed(() => {
          open.delete(connection);
          check();
        });
      }
      check();
    });
  }
}

function remoteOf({ remoteAddress, remotePort }: IncomingMessage['socket']): string {
  return `${remoteAddress}:${remotePort}`;
}

/** The member that a process that connects says it is; empty if it does not say so. */
function nameOf({ headers }: IncomingMessage): string {
  const name = headers[MEMBER_HEADER];
  return typeof name === 'string' ? name : '';
}

function refuseUpgrade(
  socket: Duplex,
  status: string,
  error: { readonly code: string; readonly message: string } | null = null,
): void {
  socket.on('error', () => {});
  const body = error === null ? '' : `${JSON.stringify({ error })}\n`;
  const headers = `Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}`;
  // `end` closes only one half, and the other side might never close its own. Then the server could never be closed.
  const answer = `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
  socket.end(answer, () => socket.destroy());
}
