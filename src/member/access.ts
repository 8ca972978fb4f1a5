import type { IncomingMessage } from 'node:http';
import { hostOf, isLoopback } from '../api/index.ts';
import { type Access, type NamedToken, Tokens, tokenOptions } from '../auth/index.ts';
import { BadInput } from '../core/index.ts';
import type { Settled } from './options.ts';

/** Who may do what with this member. The tokens can be replaced while it runs. */
export class MemberAccess {
  readonly #closed: boolean;
  readonly #isOpen: boolean;
  #now: Access;

  constructor(tokens: readonly NamedToken[], closed: boolean, isOpen: boolean) {
    this.#closed = closed;
    this.#isOpen = isOpen;
    this.#now = this.#with(tokens);
  }

  get now(): Access {
    return this.#now;
  }

  /** Throws BadInput, and keeps the old tokens, if these cannot be used. */
  replace(tokens: unknown): void {
    this.#now = this.#with(tokenOptions.read(tokens, 'tokens'));
  }

  #with(list: readonly NamedToken[]): Access {
    const tokens = new Tokens(list);
    if (this.#closed && !tokens.grants('read'))
      throw new BadInput('tokens', 'a token that may read, since the member is closed', 'none');
    return { tokens, closed: this.#closed, isOpen: this.#isOpen };
  }
}

/** The server of a mounted member may listen on any address; the socket tells which one was used. */
export function cameByLoopback({ socket }: IncomingMessage): boolean {
  const { localAddress } = socket;
  return localAddress === undefined || isLoopback(localAddress.replace(/^::ffff:/, ''));
}

/**
 * The host names that requests may use, or null if any is allowed: a server that other machines can reach may have
 * any name.
 */
export function hostNames(settled: Settled, url: string): readonly string[] | null {
  const { listen, hosts, peers, isOpen, isAuthenticated } = settled;
  const isReached = isOpen || (isAuthenticated && !isLoopback(hostOf(url)));
  if (listen === null ? isReached : !isLoopback(listen.host)) return null;
  return [...hosts, hostOf(url), ...peers.map((peer) => hostOf(peer.url))];
}
