import { hostOf, type Registered, showUrl, voterUrl } from '../api/index.ts';
import type { MemberId } from '../core/index.ts';
import type { Peer } from './links/links.ts';
import { isHere } from './own-url.ts';

/**
 * The URLs of all voters: configured ones and registered ones. A client that can register a URL can make this member
 * call it, so only configured hosts and this machine are called.
 */
export class Voters {
  readonly #own: Peer;
  readonly #configured: readonly Peer[];
  /** Members by the register of the cluster, and one that is being added. They take precedence over the configured ones. */
  #members: readonly Peer[] = [];
  /** Members that were removed: they are no voters, although they may still be configured. */
  #gone: readonly MemberId[] = [];
  /** Those of both that are called. Every message asks whether its sender is one of them. */
  #fixed: readonly Peer[];
  readonly #registered = new Map<MemberId, Peer>();
  readonly #hosts = new Set<string>();
  readonly #most: number;
  readonly #hasTls: boolean;

  /** At most `most` registered voters are kept. With `hasTls`, they are called by https only. */
  constructor(own: Peer, configured: readonly Peer[], most: number, hasTls = false) {
    this.#hasTls = hasTls;
    this.#own = own;
    this.#configured = configured;
    this.#fixed = configured;
    this.#most = most;
    for (const { url } of configured) this.#hosts.add(hostOf(url));
  }

  /** All of them, this member first; also configured ones that were removed. */
  get list(): readonly Peer[] {
    const left = this.#configured.filter(({ id }) => this.#gone.includes(id));
    return [this.#own, ...this.#fixed, ...left, ...this.#registered.values()];
  }

  /** The configured ones as far as they were not removed, and the members of the cluster, each once and without this member. */
  #fix(): readonly Peer[] {
    if (this.#members.length === 0 && this.#gone.length === 0) return this.#configured;
    const members = this.#members.filter(({ id }) => id !== this.#own.id);
    const isElsewhere = ({ id }: Peer): boolean =>
      this.#gone.includes(id) || members.some((each) => each.id === id);
    return [...this.#configured.filter((peer) => !isElsewhere(peer)), ...members];
  }

  /** Who the members of the cluster are now. */
  follow(members: readonly Peer[], gone: readonly MemberId[]): void {
    this.#members = members;
    this.#gone = gone;
    this.#fixed = this.#fix();
  }

  get others(): readonly Peer[] {
    return this.list.filter(({ id }) => id !== this.#own.id && !this.#gone.includes(id));
  }

  get registered(): readonly Peer[] {
    return [...this.#registered.values()];
  }

  has(id: MemberId): boolean {
    return this.#registered.has(id) || this.#fixed.some((peer) => peer.id === id);
  }

  /** Was it named by an operator: in the configuration, or by adding it to the cluster? */
  isConfigured(id: MemberId): boolean {
    const named = [this.#own, ...this.#configured, ...this.#members];
    return named.some((peer) => peer.id === id);
  }

  /** The id of this name: ids are numbers or texts, names are texts. */
  find(name: string): MemberId | undefined {
    return this.list.find(({ id }) => String(id) === name)?.id;
  }

  /** A seed is configured, so its addresses may be called. */
  allowHost(host: string): void {
    this.#hosts.add(host);
  }

  /** Only configured hosts, those of the seeds and this machine are called: any voter can name a URL. */
  mayCall(url: string): boolean {
    if (normalUrl(url) === null) return false;
    const host = hostOf(url);
    return this.#hosts.has(host) || host === hostOf(this.#own.url) || isHere(host);
  }

  /**
   * The configuration takes precedence over registrations. When there are too many, the oldest one that does not vote
   * any more (`isNeeded`) is dropped: voters that get a new name at every start leave their old names behind.
   */
  register(given: Peer, isNeeded: (id: MemberId) => boolean): Registered {
    const url = normalUrl(given.url);
    if (url === null) return { accepted: false, reason: `${showUrl(given.url)} is no URL of a voter` };
    const voter = { id: given.id, url };
    if (voter.id === this.#own.id) return { accepted: false, reason: `${voter.id} is this member's own id` };
    const configured = this.#configured.find(({ id }) => id === voter.id);
    if (configured !== undefined) {
      if (configured.url === voter.url) return { accepted: true };
      return { accepted: false, reason: `${voter.id} is configured to be at ${configured.url}` };
    }
    if (this.#hasTls && !/^https:/i.test(voter.url)) {
      const reason = `${voter.url} does not begin with https:, and voters with certificates are called by nothing else`;
      return { accepted: false, reason };
    }
    if (!this.mayCall(voter.url)) {
      const reason = `${voter.url} is neither on this machine nor on the host of a configured voter`;
      return { accepted: false, reason };
    }
    if (!this.#registered.has(voter.id) && !this.#makeRoom(isNeeded)) {
      const reason = `${this.#most} voters have made themselves known; limits.voters allows no more`;
      return { accepted: false, reason };
    }
    this.#registered.set(voter.id, voter);
    return { accepted: true };
  }

  #makeRoom(isNeeded: (id: MemberId) => boolean): boolean {
    if (this.#registered.size < this.#most) return true;
    const old = [...this.#registered.keys()].find((id) => !isNeeded(id));
    return old !== undefined && this.#registered.delete(old);
  }
}

/** The URL as it is called, or null if it is none. A protocol knows only that an address is a text. */
export function normalUrl(text: string): string | null {
  try {
    return voterUrl.read(text, '');
  } catch {
    return null;
  }
}
