import { loadClient, optional } from '../load-client.ts';
import type { Address, Endpoint } from './address.ts';

/** What we use of the library's client. */
export interface Client {
  connect(): Promise<unknown>;
  sendCommand<T>(args: readonly string[]): Promise<T>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  on(event: 'error' | 'connect', listener: () => void): unknown;
  destroy(): void;
}

/** The texts of PEM files, for `rediss://`. */
export interface TlsOptions {
  /** The authorities to trust, in place of those that Node.js trusts. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, if Redis requires one. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

interface LinkSettings {
  readonly address: Address;
  readonly endpoint: Endpoint;
  readonly tls: TlsOptions;
  /** How long connecting may take. */
  readonly connectMs: number;
}

const loadLibrary = (): Promise<typeof import('redis')> =>
  loadClient('redis', ['redis'], () => import('redis').catch(optional));

/** Loads the library. Rejects if it is not installed. */
export async function load(): Promise<void> {
  await loadLibrary();
}

/**
 * One connection, from its beginning to its end. It is never repaired: the library would send pending commands again
 * on the next one, and a renewal that arrives late is worse than none. A caller that needs another connection opens
 * another.
 */
export class Link {
  readonly ready: Promise<Client>;
  isOver = false;
  #isReady = false;
  readonly #isSecure: boolean;
  readonly #onEnd: () => void;
  #client: Client | null = null;

  constructor(settings: LinkSettings, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#isSecure = settings.address.isSecure;
    this.ready = this.#connect(settings);
    this.ready.catch(() => this.end());
  }

  /** The error if nothing has arrived within this time. */
  late(withinMs: number): Error {
    const what = this.#isReady ? 'answer' : 'connection';
    // A server without TLS waits for more of what it takes for a command.
    const guess = !this.#isReady && this.#isSecure ? ': is TLS spoken at this port?' : '';
    return new Error(`no ${what} within ${Math.round(withinMs)} ms${guess}`);
  }

  /** Closes it at once. Commands in flight are rejected. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    // The library first reports its own error to waiting callers.
    queueMicrotask(() => destroy(this.#client));
    this.#onEnd();
  }

  async #connect({ address, endpoint, tls, connectMs }: LinkSettings): Promise<Client> {
    const { RedisClient } = await loadLibrary();
    if (this.isOver) throw new Error('the connection was closed');
    const { isSecure, user, password, database } = address;
    const socket = { ...endpoint, connectTimeout: Math.ceil(connectMs), reconnectStrategy: false as const };
    // Not with `createClient`, which builds a class with a thousand commands for every other address: that takes 50
    // ms.
    const client: Client = new RedisClient({
      socket: isSecure ? { ...socket, ...tls, tls: true } : socket,
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
      database,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      commandOptions: { timeout: 0 }, // The caller has its own timeout.
    });
    this.#client = client;
    client.on('error', () => this.end());
    // While its socket connects the library cannot close it, and continues. If no server answers, it would retry for
    // ever.
    client.on('connect', () => {
      if (this.isOver) destroy(client);
    });
    await client.connect();
    const refusal = refusalOf(await modeOf(client));
    if (this.isOver || refusal !== null) {
      destroy(client);
      throw new Error(refusal ?? 'the connection was closed'); // It was closed while it connected.
    }
    this.#isReady = true;
    return client;
  }
}

/** What the server says that it is; null if it does not tell, as some proxies do not. Every user may ask. */
async function modeOf(client: Client): Promise<unknown> {
  try {
    const said = await client.sendCommand<unknown>(['HELLO']);
    if (Array.isArray(said)) return said[said.indexOf('mode') + 1];
    return said instanceof Map ? said.get('mode') : (said as { mode?: unknown } | null)?.mode;
  } catch {
    return null;
  }
}

/** A node of a cluster may lose the keys of an election to another node at any time; a Sentinel has none. */
function refusalOf(mode: unknown): string | null {
  if (mode === 'cluster')
    return 'it is a node of a Redis Cluster, which this engine does not support: name a server outside of a cluster';
  if (mode === 'sentinel')
    return 'it is a Redis Sentinel, which this engine does not support: name the master';
  return null;
}

function destroy(client: Client | null): void {
  try {
    client?.destroy();
  } catch {
    // Already closed.
  }
}
