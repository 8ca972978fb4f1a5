/** Members that are nothing but links on a real port, and remember everything that they were told. */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { MemberId, Message } from '../../src/core/index.ts';
import { createLinks, type LinkOptions } from '../../src/member/links/index.ts';
import type { Identity, LinkRefusal, LinkStatus, Links, Peer } from '../../src/member/links/links.ts';

export interface Heard {
  readonly from: MemberId;
  readonly election: string;
  readonly message: Message;
}

export interface Linked {
  readonly id: MemberId;
  readonly url: string;
  readonly identity: Identity;
  readonly links: Links;
  readonly server: http.Server;
  readonly heard: Heard[];
  /** Every process that came up. */
  readonly peers: Identity[];
  /** The lives of those that have shown that they run on this kernel. */
  readonly locals: string[];
  /** `up 2 (incarnation)`, `down 2 (incarnation): why`, in order. */
  readonly events: string[];
  /** For each `down`: did the other side close it, without a word that it lives on? */
  readonly abandoned: boolean[];
  /** `LIFE`, or `LIFE for certain`, of every process that is gone. */
  readonly gone: string[];
  readonly refused: { readonly reason: string; readonly from: string; readonly kind: LinkRefusal }[];
  /** How many connections stand on its port, which is those that others opened. */
  accepted(): Promise<number>;
  status(id: MemberId): LinkStatus;
  stop(): Promise<void>;
}

let incarnations = 1000;

export async function startLinked(
  id: MemberId,
  options: LinkOptions = {},
  who: Partial<Identity> & { readonly port?: number; readonly path?: string } = {},
): Promise<Linked> {
  const server = http.createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(who.port ?? 0, '127.0.0.1', resolve));
  const { port: _, path = '', ...said } = who;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const identity: Identity = {
    id,
    cluster: 'test',
    incarnation: incarnations++,
    life: randomUUID(),
    url,
    process: null,
    ...said,
  };
  const heard: Heard[] = [];
  const events: string[] = [];
  const peers: Identity[] = [];
  const locals: string[] = [];
  const abandoned: boolean[] = [];
  const gone: string[] = [];
  const refused: { reason: string; from: string; kind: LinkRefusal }[] = [];
  const links = createLinks(
    identity,
    {
      onMessage: (from, election, message) => void heard.push({ from, election, message }),
      onUp(peer) {
        peers.push(peer);
        events.push(`up ${peer.id} (${peer.incarnation})`);
      },
      onLocal: (peer) => void locals.push(peer.life),
      onDown(peer, reason, isAbandoned) {
        events.push(`down ${peer.id} (${peer.incarnation}): ${reason}`);
        abandoned.push(isAbandoned);
      },
      onGone: (_, proof, life) => void gone.push(proof ? `${life} for certain` : life),
      onRefused: (reason, from, kind) => void refused.push({ reason, from, kind }),
    },
    options,
  );
  links.attach(server);
  return {
    id,
    url,
    identity,
    links,
    server,
    heard,
    peers,
    locals,
    events,
    abandoned,
    gone,
    refused,
    accepted: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    status(peer) {
      const found = links.status.find((each) => each.id === peer);
      if (found === undefined) throw new Error(`no link to ${peer}`);
      return found;
    },
    async stop() {
      await links.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function introduce(members: readonly Linked[]): void {
  const peers: Peer[] = members.map(({ id, url }) => ({ id, url }));
  for (const member of members) member.links.setPeers(peers);
}

/** Waits for a state of real sockets, which is reached by events that a test cannot all see. */
export async function until(what: string, test: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 20_000;
  while (!(await test())) {
    if (performance.now() > endMs) throw new Error(`never came: ${what}`);
    await delay(2);
  }
}

/** A message with a number, and as much beside it as a test wants. */
export function count(i: number, padding = 0): Message {
  return { type: 'count', i, ...(padding === 0 ? {} : { padding: 'x'.repeat(padding) }) } as Message;
}

/** The numbers of the messages that it heard, in order. */
export function numbers({ heard }: Linked): number[] {
  return heard.map(({ message }) => (message as Message & { i: number }).i);
}
