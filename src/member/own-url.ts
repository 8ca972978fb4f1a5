/**
 * The URL under which the others reach a voter that was told only a seed and a relative URL (seed 002): which of the
 * seed's addresses is its own?
 *
 *   1. the address that it listens on, or, if it listens on all, one that this machine has, with the port that it
 *      listens on
 *   2. an address behind which this very process answers: something passes connections on (NAT, a forwarded port). What
 *      other processes say of themselves counts for nothing (own-answer.ts)
 *   3. if the seed does not have its address, the one from which it reaches the seed
 *
 * 1 and 2 are certain. Until one of them holds, it looks again at every search for other voters.
 */
import type { Server } from 'node:http';
import { type AddressInfo, connect, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  addressOf,
  hostOf,
  isLoopback,
  portMismatch,
  readRelativeUrl,
  urlOf,
  urlOfServer,
} from '../api/index.ts';
import type { MemberTls } from '../auth/index.ts';
import type { MemberId } from '../core/index.ts';
import type { Settled } from './options.ts';
import { OwnAnswer } from './own-answer.ts';

const DIAL_MS = 2000;

type OwnSettings = Pick<Settled, 'id' | 'url' | 'seed' | 'tls' | 'log'>;

export class OwnUrl {
  #url: string;
  readonly #id: MemberId;
  /** Null once it is certain. */
  #answer: OwnAnswer | null;
  readonly #listensOn: { readonly host: string; readonly port: number } | null;
  readonly #path: string;
  readonly #tls: MemberTls | null;
  readonly #log: Settled['log'];

  constructor({ id, url, seed, tls, log }: OwnSettings, server: Server | null) {
    this.#id = id;
    this.#log = log;
    this.#tls = tls;
    this.#path = seed === null ? '' : readRelativeUrl(seed.url)!.path;
    this.#answer = url !== null || seed === null || server === null ? null : new OwnAnswer(server);
    this.#listensOn = server === null ? null : boundTo(server);
    this.#url = url ?? (seed === null ? urlOfServer(server!) : this.#guess(server!));
    const mismatch = server === null ? null : portMismatch(server, this.#url);
    if (mismatch !== null) log({ level: 'warning', message: mismatch });
  }

  get url(): string {
    return this.#url;
  }

  /** These fields, and always the present URL. */
  of<T extends object>(fields: T): T & { readonly url: string } {
    const url = { enumerable: true, get: () => this.#url };
    return Object.defineProperty({ ...fields }, 'url', url) as T & { readonly url: string };
  }

  /** Looks which of these URLs is its own. */
  async find(candidates: readonly string[], signal: AbortSignal): Promise<void> {
    const answer = this.#answer;
    if (answer === null || this.#listensOn === null) return;
    const here = ownAmong(candidates, this.#listensOn);
    if (here !== null) return this.#settle(here, true);
    const asked = candidates.map((url) => answer.isAt(url, this.#id, this.#tls, signal));
    const isOwn = await Promise.all(asked);
    const [found] = inOrder(candidates.filter((_url, i) => isOwn[i]));
    if (found !== undefined) return this.#settle(found, true);
    if (!isWildcard(this.#listensOn.host)) return;
    // An address of the loopback means another machine to each of the others.
    const [far, near] = [false, true].map((is) => candidates.filter((url) => isLoopback(hostOf(url)) === is));
    const address = (await addressTowards(far!, signal)) ?? (await addressTowards(near!, signal));
    if (address !== null) this.#settle(this.#at(address), false);
  }

  #settle(url: string, isCertain: boolean): void {
    if (isCertain) {
      this.#answer?.close();
      this.#answer = null;
    }
    if (url === this.#url) return;
    this.#url = url;
    this.#log({ level: 'info', message: `the others reach this member at ${url}` });
  }

  #guess(server: Server): string {
    const { host } = this.#listensOn!;
    const address = isWildcard(host) ? outerAddresses(host)[0] : host;
    return address === undefined ? urlOfServer(server) + this.#path : this.#at(address);
  }

  #at(address: string): string {
    return urlOf(address, this.#listensOn!.port, this.#tls === null ? 'http' : 'https') + this.#path;
  }
}

/** The first of these URLs that leads to this address of this machine, or null. */
export function ownAmong(
  urls: readonly string[],
  { host, port }: { readonly host: string; readonly port: number },
): string | null {
  const isOwn = isWildcard(host) ? isHere : (address: string) => sameAddress(address, host);
  const fits = urls.filter((url) => {
    const address = bare(hostOf(url));
    return portOf(url) === port && isOwn(address) && (host !== '0.0.0.0' || !isIPv6(address));
  });
  return inOrder(fits)[0] ?? null;
}

/** The URLs whose addresses are those of this machine, the most useful first. */
export function urlsHere(urls: readonly string[]): string[] {
  return inOrder(urls.filter((url) => isHere(hostOf(url))));
}

/** A resolver gives the addresses of a name in any order: a voter with several of them keeps its URL. */
function inOrder(urls: readonly string[]): string[] {
  const rank = (url: string): number =>
    (isLoopback(hostOf(url)) ? 2 : 0) + (hostOf(url).startsWith('[') ? 1 : 0);
  return [...urls].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Is this host, as a URL has it, an address of this machine? */
export function isHere(host: string): boolean {
  const address = bare(host);
  return isLoopback(host) || machineAddresses().some((own) => sameAddress(own, address));
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** The addresses under which other machines may reach this one. */
function outerAddresses(wildcard: string): string[] {
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return found
    .filter(({ internal, family, address }) => {
      const isLinkLocal = family === 'IPv6' && address.toLowerCase().startsWith('fe80');
      return !internal && !isLinkLocal && (wildcard === '::' || family === 'IPv4');
    })
    .map(({ address }) => address);
}

/** One IPv6 address can be written in several ways; a URL has only one of them. */
function sameAddress(a: string, b: string): boolean {
  const written = (address: string): string =>
    URL.canParse(urlOf(address, 1)) ? hostOf(urlOf(address, 1)) : address;
  return a === b || written(a) === written(b);
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

function portOf(url: string): number {
  return addressOf(url).port;
}

function boundTo(server: Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** The address of this machine from which one of these URLs can be reached, or null if none can. */
async function addressTowards(urls: readonly string[], signal: AbortSignal): Promise<string | null> {
  const dials = urls.map(
    (url) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ host: bare(hostOf(url)), port: portOf(url), signal, timeout: DIAL_MS });
        const give = (): void => {
          const { localAddress } = socket;
          socket.destroy();
          if (localAddress === undefined) reject(new Error('it is closed'));
          else resolve(localAddress.replace(/^::ffff:/, ''));
        };
        socket.once('connect', give);
        socket.once('timeout', () => socket.destroy(new Error('no connection in time')));
        socket.once('error', reject);
      }),
  );
  return await Promise.any(dials).catch(() => null);
}
