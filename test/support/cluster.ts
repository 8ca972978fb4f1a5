/** Real members in this process: real sockets on the loopback, real clocks, real data folders if asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MemberId } from '../../src/core/index.ts';
import { type AnyJoinOptions, join, type Member, type Peer } from '../../src/member/index.ts';

/** A place where a member can be, and be again after a restart: the port stays. */
interface Place {
  readonly id: MemberId;
  readonly server: Server;
  readonly url: string;
  member: Member | null;
}

export class Cluster {
  readonly log: string[] = [];
  readonly #places = new Map<MemberId, Place>();
  readonly #wishes: AnyJoinOptions;
  readonly #data: string | null;
  readonly #listeners = new Set<() => void>();

  private constructor(places: readonly Place[], wishes: AnyJoinOptions, data: string | null) {
    for (const place of places) this.#places.set(place.id, place);
    this.#wishes = wishes;
    this.#data = data;
  }

  static async open(
    ids: readonly MemberId[],
    wishes: AnyJoinOptions & { keeps?: boolean } = {},
  ): Promise<Cluster> {
    const { keeps = false, ...given } = wishes;
    // The times of `lan`, if nothing else is said: a first leader within half a second.
    const isUsual = given.protocol === undefined && given.options === undefined;
    const options = isUsual ? { ...given, options: { preset: 'lan' } } : given;
    const places = await Promise.all(ids.map(openPlace));
    return new Cluster(places, options, keeps ? mkdtempSync(path.join(tmpdir(), 'caucus-cluster-')) : null);
  }

  /** Opens a cluster and starts all of it. */
  static async start(
    ids: readonly MemberId[],
    wishes: AnyJoinOptions & { keeps?: boolean } = {},
  ): Promise<Cluster> {
    const cluster = await Cluster.open(ids, wishes);
    await Promise.all(ids.map((id) => cluster.join(id)));
    return cluster;
  }

  get ids(): readonly MemberId[] {
    return [...this.#places.keys()];
  }

  get peers(): readonly Peer[] {
    return [...this.#places.values()].map(({ id, url }) => ({ id, url }));
  }

  get members(): readonly Member[] {
    return [...this.#places.values()].flatMap(({ member }) => (member === null ? [] : [member]));
  }

  member(id: MemberId): Member {
    return this.#places.get(id)!.member!;
  }

  dataOf(id: MemberId): string {
    return path.join(this.#data!, String(id));
  }

  async join(id: MemberId, wishes: AnyJoinOptions = {}): Promise<Member> {
    const place = this.#places.get(id)!;
    const member = await join({
      id,
      mounted: true,
      url: place.url,
      peers: this.peers,
      ...(this.#data === null ? {} : { data: this.dataOf(id) }),
      log: ({ message }) => {
        this.log.push(`${id}: ${message}`);
        this.#look();
      },
      ...this.#wishes,
      ...wishes,
    });
    place.member = member;
    member.subscribe(() => this.#look());
    this.#look();
    return member;
  }

  async leave(id: MemberId): Promise<void> {
    const place = this.#places.get(id)!;
    const { member } = place;
    place.member = null;
    await member?.close();
  }

  /** Those that may act in an election at this moment. */
  acting(election = 'main'): Member[] {
    return this.members.filter((member) =>
      member.elections.some((port) => port.name === election && port.acting),
    );
  }

  /** Waits until it is so. Looks at every change of any member. */
  async until<T>(found: () => T | null | undefined | false): Promise<T> {
    return await new Promise((resolve) => {
      const look = (): void => {
        const value = found();
        if (value === null || value === undefined || value === false) return;
        this.#listeners.delete(look);
        resolve(value);
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Waits until one member may act and all others follow it. */
  async leader(election = 'main'): Promise<Member> {
    return await this.until(() => {
      const acting = this.acting(election);
      const [leader] = acting;
      const agreed = this.members.every((member) =>
        member.elections.some((port) => port.name === election && port.view.leader === leader?.id),
      );
      return acting.length === 1 && agreed ? leader : null;
    });
  }

  /** Is told after every change of any member. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.leave(id)));
    for (const { server } of this.#places.values()) {
      server.close();
      server.closeAllConnections();
    }
    if (this.#data !== null) rmSync(this.#data, { recursive: true, force: true });
  }

  #look(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

async function openPlace(id: MemberId): Promise<Place> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place: Place = { id, server, url, member: null };
  server.on('request', (request, response) => {
    if (place.member !== null) place.member.handler(request, response);
    else response.writeHead(503).end();
  });
  server.on('upgrade', (request, socket, head) => {
    if (!(place.member?.handleUpgrade(request, socket, head) ?? false)) socket.destroy();
  });
  return place;
}
