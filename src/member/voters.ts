import type { MemberId } from '../core/index.ts';
import type { Peer } from './links/links.ts';
import { hostOf, isLoopback } from './urls.ts';

type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly reason: string };

/**
 * How voters are reached: those that were configured, and those that made themselves known. Whoever can register a URL can make
 * this member call it, so only hosts that were configured are called, and this machine.
 */
export class Voters {
  readonly #own: Peer;
  readonly #configured: readonly Peer[];
  readonly #registered = new Map<MemberId, Peer>();
  readonly #hosts = new Set<string>();

  constructor(own: Peer, configured: readonly Peer[]) {
    this.#own = own;
    this.#configured = configured;
    for (const { url } of configured) this.#hosts.add(hostOf(url));
  }

  /** All of them, this member first. A configured voter that says that it has moved is where it says. */
  get list(): readonly Peer[] {
    const known = new Map([this.#own, ...this.#configured].map((peer) => [peer.id, peer]));
    for (const [id, peer] of this.#registered) known.set(id, peer);
    return [...known.values()];
  }

  get others(): readonly Peer[] {
    return this.list.filter(({ id }) => id !== this.#own.id);
  }

  get registered(): readonly Peer[] {
    return [...this.#registered.values()];
  }

  has(id: MemberId): boolean {
    return this.#registered.has(id) || this.#configured.some((peer) => peer.id === id);
  }

  /** The id of this name: ids are numbers or texts, names are texts. */
  find(name: string): MemberId | undefined {
    return this.list.find(({ id }) => String(id) === name)?.id;
  }

  /** A seed stands in the configuration, so what it leads to may be called. */
  allowHost(host: string): void {
    this.#hosts.add(host);
  }

  register(voter: Peer): Verdict {
    if (voter.id === this.#own.id) return { accepted: false, reason: `${voter.id} is this member's own id` };
    const host = hostOf(voter.url);
    if (!isLoopback(host) && !this.#hosts.has(host)) {
      const reason = `${voter.url} is neither on this machine nor on the host of a configured voter`;
      return { accepted: false, reason };
    }
    this.#registered.set(voter.id, voter);
    return { accepted: true };
  }
}
