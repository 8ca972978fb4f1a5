/**
 * The addresses of the hosts in the URLs of other members: connections from there have a reserve, so that clients cannot keep
 * members out (src/api/connection-limit.ts). It is only about room: who a connection belongs to is shown otherwise.
 */
import { hostOf, isLoopback } from '../api/index.ts';
import { type Resolve, resolveName } from './seeds.ts';

/** Names may get other addresses. */
const LOOK_EVERY_MS = 60_000;

export class PeerAddresses {
  readonly #urls: () => readonly string[];
  readonly #resolve: Resolve;
  readonly #timer: NodeJS.Timeout;
  #addresses: ReadonlySet<string> = new Set();

  constructor(urls: () => readonly string[], resolve: Resolve = resolveName) {
    this.#urls = urls;
    this.#resolve = resolve;
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** On the loopback every process of the machine has the same address: nothing is kept for it. */
  has(address: string): boolean {
    return this.#addresses.has(address) && !isLoopback(address);
  }

  /** Looks the addresses up. A name that cannot be resolved keeps none. */
  async look(): Promise<void> {
    const hosts = new Set(this.#urls().map((url) => hostOf(url).replace(/^\[|\]$/g, '')));
    const found = await Promise.all([...hosts].map((host) => this.#resolve(host).catch(() => [])));
    this.#addresses = new Set(found.flat());
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
