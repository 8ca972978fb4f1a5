import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Kvm, KvWatchInclude } from '@nats-io/kv';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { CaucusError } from '../../election/index.ts';
import { loadClient } from '../load-client.ts';
import type { Address } from './address.ts';
import { ensureBuckets } from './buckets.ts';
import { orAborted } from './or-aborted.ts';
import type { Settings } from './settings.ts';
import { explained, isBucketMissing, isUnheard } from './trouble.ts';

/** A connection over which the buckets were found in order. */
export interface Link {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly kvm: Kvm;
  readonly headers: () => MsgHdrs;
  readonly updatesOnly: KvWatchInclude;
}

/** No attempt to connect is cut shorter than this, even where calls are: it outlives the call that began it. */
const PATIENCE_MS = 1000;

/**
 * What connects us to NATS, for all elections of an engine. The client library could reconnect by itself, but then it would send
 * late what nobody waits for any more. So a connection that fails is dropped, and the next call makes another.
 */
export class Session {
  /** Is told of every new link. */
  onLink: (link: Link) => void = () => {};
  readonly #address: Address;
  readonly #settings: Settings;
  readonly #name: string;
  #link: Link | null = null;
  #opening: Promise<Link> | null = null;
  #isClosed = false;

  constructor(address: Address, settings: Settings, name: string) {
    this.#address = address;
    this.#settings = settings;
    this.#name = name;
  }

  /** Asks over the link. If the bucket is gone it is created anew, and the same is asked once more. */
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
    const link = await orAborted(this.#linked(), signal);
    try {
      return await orAborted(act(link), signal);
    } catch (error) {
      // Whoever is silent for too long is perhaps not there any more: the next call tries another connection.
      if (signal.aborted) this.drop(link);
      throw error;
    }
  }

  /** Lets go of the connection. The next call makes another, and looks after the buckets again. */
  drop(link: Link | null = this.#link): void {
    if (link === null) return;
    if (this.#link === link) this.#link = null;
    void link.connection.close().catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.drop();
    await this.#opening?.catch(() => {});
  }

  #linked(): Promise<Link> {
    if (this.#link?.connection.isClosed() === false) return Promise.resolve(this.#link);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<Link> {
    const [{ connect, headers }, { jetstream }, { Kvm, KvWatchInclude }] = await Promise.all([
      loadClient('nats', '@nats-io/transport-node', () => import('@nats-io/transport-node')),
      loadClient('nats', '@nats-io/jetstream', () => import('@nats-io/jetstream')),
      loadClient('nats', '@nats-io/kv', () => import('@nats-io/kv')),
    ]);
    const { servers, user, password, token, isSecure } = this.#address;
    const { times, tls, authenticator } = this.#settings;
    const timeout = Math.max(PATIENCE_MS, times.callMs);
    const connection = await connect({
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
      ...(authenticator === undefined ? {} : { authenticator }),
      ...(isSecure ? { tls: { ...tls } } : {}),
    });
    try {
      const js = jetstream(connection, { timeout, checkAPI: false });
      const jsm = await js.jetstreamManager(false);
      const kvm = new Kvm(js);
      await ensureBuckets(kvm, jsm, this.#settings);
      if (this.#isClosed) throw new CaucusError('E_CLOSED', 'the engine nats was closed');
      const link = { connection, js, jsm, kvm, headers, updatesOnly: KvWatchInclude.UpdatesOnly };
      this.#link = link;
      this.onLink(link);
      return link;
    } catch (error) {
      void connection.close().catch(() => {});
      throw error;
    }
  }
}
