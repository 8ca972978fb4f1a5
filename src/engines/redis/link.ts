import { loadClient } from '../load-client.ts';
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
  /** Whom to trust, instead of what Node.js trusts. */
  readonly ca?: string | Buffer;
  /** Our own certificate and its key, where Redis asks for one. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

interface LinkSettings {
  readonly address: Address;
  readonly endpoint: Endpoint;
  readonly tls: TlsOptions;
  /** How long it may take until a connection stands. */
  readonly connectMs: number;
}

const loadLibrary = (): Promise<typeof import('redis')> =>
  loadClient('redis', ['redis'], () => import('redis'));

/** Loads the library. Rejects if it is not installed. */
export async function load(): Promise<void> {
  await loadLibrary();
}

/**
 * One connection, from its beginning to its end. It is never repaired: the library would send again on the next one what
 * was meant for this one, and a renewal that comes after its time is worse than none. A caller that needs another makes another.
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

  /** What it means that nothing has come within this time. */
  late(withinMs: number): Error {
    const what = this.#isReady ? 'answer' : 'connection';
    // A server without TLS waits for the end of what it takes for a command.
    const guess = !this.#isReady && this.#isSecure ? ': is TLS spoken at this port?' : '';
    return new Error(`no ${what} within ${Math.round(withinMs)} ms${guess}`);
  }

  /** Closes it at once. What waits for an answer is rejected. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    // The library first tells those who wait what has happened, if it was not us.
    queueMicrotask(() => destroy(this.#client));
    this.#onEnd();
  }

  async #connect({ address, endpoint, tls, connectMs }: LinkSettings): Promise<Client> {
    const { RedisClient } = await loadLibrary();
    if (this.isOver) throw new Error('the connection was given up');
    const { isSecure, user, password, database } = address;
    const socket = { ...endpoint, connectTimeout: Math.ceil(connectMs), reconnectStrategy: false as const };
    // Not by `createClient`, which puts together a class with a thousand commands for every other address: that takes 50 ms.
    const client: Client = new RedisClient({
      socket: isSecure ? { ...socket, ...tls, tls: true } : socket,
      ...(user === undefined ? {} : { username: user }),
      ...(password === undefined ? {} : { password }),
      database,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      commandOptions: { timeout: 0 }, // The caller looks at the time.
    });
    this.#client = client;
    client.on('error', () => this.end());
    // While its socket connects the library has nothing to close, and goes on. Where no server answers then, it would do so for ever.
    client.on('connect', () => {
      if (this.isOver) destroy(client);
    });
    await client.connect();
    if (this.isOver) {
      destroy(client); // One that was given up while it connected has connected all the same.
      throw new Error('the connection was given up');
    }
    this.#isReady = true;
    return client;
  }
}

function destroy(client: Client | null): void {
  try {
    client?.destroy();
  } catch {
    // There was nothing left to close.
  }
}
