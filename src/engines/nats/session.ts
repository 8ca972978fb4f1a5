import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Kvm, KvWatchInclude } from '@nats-io/kv';
import type { Authenticator, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { CaucusError } from '../../election/index.ts';
import { loadClient, optional } from '../load-client.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Address } from './address.ts';
import { ensureBuckets, ttlOf } from './buckets.ts';
import { dial } from './dial.ts';
import type { Settings } from './settings.ts';
import { explained, isBucketMissing, isUnheard } from './trouble.ts';

/** A connection. */
export interface Link {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly kvm: Kvm;
  readonly headers: () => MsgHdrs;
  readonly updatesOnly: KvWatchInclude;
  /**
   * How long a lease in the bucket lasts; null: there was no bucket. Then nothing is read from it: a server of 2.9
   * crashes when a client reads from a bucket that is being created.
   */
  leaseMs: number | null;
  /** For participants: whether the buckets were found in order, or created. */
  isEnsured: boolean;
  /** Called when they were. */
  onEnsured: () => void;
}

/**
 * The shortest time limit for a connection attempt, even if calls have a shorter one: the attempt outlives the call
 * that began it.
 */
const PATIENCE_MS = 1000;

function loadLibraries() {
  const names = ['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/kv'];
  return loadClient('nats', names, () =>
    Promise.all([
      import('@nats-io/transport-node').catch(optional),
      import('@nats-io/jetstream').catch(optional),
      import('@nats-io/kv').catch(optional),
    ] as const),
  );
}

/** Loads the libraries. Rejects if one is not installed. */
export async function load(): Promise<void> {
  await loadLibraries();
}

/**
 * The connection to NATS, for all elections of an engine. The client library could reconnect by itself, but then it
 * would send requests late that were already abandoned. So a broken connection is dropped, and the next call opens
 * another.
 */
export class Session {
  /** Called for every new connection. */
  onLink: (link: Link) => void = () => {};
  readonly #address: Address;
  readonly #settings: Settings;
  readonly #name: string;
  #link: Link | null = null;
  #opening: Promise<void> | null = null;
  /** Observers create no buckets, and use them as they are. */
  #takesPart = false;
  #leaseMs: number;
  readonly #closed = new AbortController();

  constructor(address: Address, settings: Settings, name: string) {
    this.#address = address;
    this.#settings = settings;
    this.#name = name;
    this.#leaseMs = settings.times.leaseMs;
  }

  /** How long a lease in the bucket lasts, as far as we know. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  get takesPart(): boolean {
    return this.#takesPart;
  }

  /** From now on the buckets must be in order, and are created if they are missing. */
  async takePart(signal: AbortSignal): Promise<void> {
    this.#takesPart = true;
    await this.ask(signal, async () => {});
  }

  /**
   * Asks over the connection. If the bucket is gone, a participant creates it again, and the request is retried once.
   */
  async ask<T>(signal: AbortSignal, act: (link: Link) => Promise<T>): Promise<T> {
    try {
      return await this.#ask(signal, act).catch(async (error: unknown) => {
        if (signal.aborted || !(isBucketMissing(error) || isUnheard(error))) throw error;
        this.drop();
        return await this.#ask(signal, act);
      });
    } catch (error) {
      throw explained(error, this.#address);
    }
  }

  async #ask<T>(signal: AbortSignal, act: (link: Link) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const link = await unlessAborted(this.#linked(), signal);
    if (link.leaseMs === null) await unlessAborted(this.#look(link), signal);
    try {
      return await unlessAborted(act(link), signal);
    } catch (error) {
      // A server that is silent for too long may be gone: the next call opens another connection.
      if (signal.aborted) this.drop(link);
      throw error;
    }
  }

  /** Drops the connection. The next call opens another, and checks the buckets again. */
  drop(link: Link | null = this.#link): void {
    if (link === null) return;
    if (this.#link === link) this.#link = null;
    void link.connection.close().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed.abort(new CaucusError('E_CLOSED', 'the engine nats was closed'));
    this.drop();
    await this.#opening?.catch(() => {});
  }

  async #linked(): Promise<Link> {
    for (;;) {
      const link = this.#link?.connection.isClosed() === false ? this.#link : null;
      if (link !== null && (link.isEnsured || !this.#takesPart)) return link;
      this.#opening ??= (link === null ? this.#open() : this.#ensure(link)).finally(() => {
        this.#opening = null;
      });
      await this.#opening;
    }
  }

  async #open(): Promise<void> {
    const [{ connect, headers }, { jetstream }, { Kvm, KvWatchInclude }] = await loadLibraries();
    const { servers, user, password, token, isSecure } = this.#address;
    const { times, tls, authenticator } = this.#settings;
    const timeout = Math.max(PATIENCE_MS, times.callMs);
    const { signal } = this.#closed;
    const options = {
      servers: [...servers],
      name: `caucus ${this.#name}`,
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout,
      pingInterval: Math.max(PATIENCE_MS, times.renewMs),
      maxPingOut: 2,
      noAsyncTraces: true,
      ...(user === undefined || password === undefined ? {} : { user, pass: password }),
      ...(token === undefined ? {} : { token }),
      ...(authenticator === undefined ? {} : { authenticator: authenticator as Authenticator }),
      ...(isSecure ? { tls: { ...tls } } : {}),
    };
    const connection = await dial(() => connect(options), signal);
    try {
      const js = jetstream(connection, { timeout, checkAPI: false });
      const jsm = await js.jetstreamManager(false);
      const kvm = new Kvm(js);
      const link: Link = {
        ...{ connection, js, jsm, kvm, headers, updatesOnly: KvWatchInclude.UpdatesOnly },
        ...{ leaseMs: null, isEnsured: false, onEnsured() {} },
      };
      await (this.#takesPart ? this.#ensure(link) : this.#look(link));
      signal.throwIfAborted();
      this.#link = link;
      this.onLink(link);
    } catch (error) {
      void connection.close().catch(() => {});
      throw error;
    }
  }

  async #ensure(link: Link): Promise<void> {
    const { kvm, jsm, connection } = link;
    await ensureBuckets({ kvm, jsm, version: connection.info!.version }, this.#settings);
    link.isEnsured = true;
    link.leaseMs = this.#leaseMs = this.#settings.times.leaseMs;
    link.onEnsured();
  }

  async #look(link: Link): Promise<void> {
    link.leaseMs = await ttlOf(link.jsm, this.#settings.bucket);
    this.#leaseMs = link.leaseMs ?? this.#leaseMs;
  }
}
