/** Real members with real links, whose ports are known before any of them starts: each is mounted on a server of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MemberId } from '../../src/core/index.ts';
import { type AnyJoinOptions, join, type Member } from '../../src/member/index.ts';

export class Cluster {
  readonly members: Member[] = [];
  readonly #servers = new Map<Member, Server>();

  /** Without `links`, the servers take no lasting connections, as if something between the members let none through. */
  async open(
    ids: readonly MemberId[],
    options: AnyJoinOptions,
    { links = true }: { readonly links?: boolean } = {},
  ): Promise<void> {
    const places: { server: Server; peer: { id: MemberId; url: string } }[] = [];
    for (const id of ids) {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      places.push({
        server,
        peer: { id, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      });
    }
    const peers = places.map(({ peer }) => peer);
    for (const { server, peer } of places) {
      const member = await join({ ...options, id: peer.id, url: peer.url, mounted: true, peers });
      server.on('request', member.handler);
      if (links) {
        server.on('upgrade', (request, socket, head) => {
          if (!member.handleUpgrade(request, socket, head)) socket.destroy();
        });
      }
      this.members.push(member);
      this.#servers.set(member, server);
    }
  }

  /** The member leaves, and nothing answers in its place any more. */
  async close(member: Member): Promise<void> {
    this.members.splice(this.members.indexOf(member), 1);
    await member.close();
    const server = this.#servers.get(member)!;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.members].map((member) => this.close(member)));
  }
}
