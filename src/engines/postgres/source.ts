import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { anyOf, CaucusError } from '../../election/index.ts';
import { reasonOf } from '../lease/explain.ts';
import { loadClient, optional } from '../load-client.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { Address } from './address.ts';
import { Connection, type PostgresClient, type PostgresPool } from './connection.ts';
import { explain, type Party } from './problems.ts';

/** Where connections come from. */
export interface Source {
  /** The server, for people. */
  readonly shown: string;
  /** Loads the library, unless the program passed a pool. Rejects if it is not installed. */
  load(): Promise<void>;
  /** Rejects with a sentence for people, or with the signal's reason; then nothing is left open. */
  open(signal: AbortSignal): Promise<Connection>;
  /** A client for one transaction. Rejects as `open` does. */
  lend(signal: AbortSignal): Promise<Lent>;
  /** Closes connections that arrive late. */
  close(): void;
}

/** A client, until it is given back. */
export interface Lent {
  readonly client: PostgresClient;
  /** `isClean`: it is in no transaction, and may be used again. */
  giveBack(isClean: boolean): void;
}

/** Detects after some minutes that the other side of an idle connection has vanished. */
const KEEP_ALIVE_MS = 10_000;

const loadLibrary = (): Promise<typeof import('pg')> =>
  loadClient('postgres', ['pg'], () => import('pg').catch(optional));

export function sourceOfUrl(address: Address, ssl: boolean | ConnectionOptions | undefined): Source {
  const { shown, secrets } = address;
  const config: ClientConfig = {
    connectionString: address.url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    fallback_application_name: 'caucus',
    ...(ssl === undefined ? {} : { ssl }),
  };
  return {
    shown,
    async load() {
      await loadLibrary();
    },
    async open(signal) {
      const { Client } = await loadLibrary();
      let { user } = address;
      const problem = (error: unknown): Error => explain(error, { at: shown, user, secrets });
      let connection: Connection | null = null;
      try {
        const client = new Client(config);
        user ??= client.user;
        connection = new Connection(client, { end: () => client.end(), explain: problem });
        await unlessAborted(client.connect(), signal);
        return connection;
      } catch (error) {
        connection?.destroy();
        throw signal.aborted ? signal.reason : problem(error);
      }
    },
    async lend(signal) {
      const { Client } = await loadLibrary();
      const client = new Client(config);
      client.on('error', () => {}); // The statement that fails tells.
      try {
        await unlessAborted(client.connect(), signal);
      } catch (error) {
        void client.end().catch(() => {});
        const party = { at: shown, user: address.user ?? client.user, secrets };
        throw signal.aborted ? signal.reason : explain(error, party);
      }
      return { client, giveBack: () => void client.end().catch(() => {}) };
    },
    close() {},
  };
}

/**
 * Each connection is taken for good, and never given back to the pool: it may be in the middle of a statement. If the
 * pool has none left, the request waits in its queue and cannot be withdrawn: so a caller that stops waiting leaves
 * its place to the next. `waitMs`: after this time, a caller is told that all clients are in use, if they are.
 */
export function sourceOfPool(pool: PostgresPool, waitMs: number): Source {
  const party: Party = { at: 'the server of the pool', user: undefined, secrets: [] };
  const places: Promise<Connection>[] = [];
  let isClosed = false;
  const standInLine = async (): Promise<Connection> => {
    const client = await pool.connect();
    const end = async (): Promise<void> => client.release(true);
    return new Connection(client, { end, explain: (error) => explain(error, party) });
  };
  const inUse = (): CaucusError | null => {
    const { options, totalCount = 0, idleCount = 0 } = pool;
    const max = options?.max ?? Number.POSITIVE_INFINITY;
    if (totalCount < max || idleCount > 0) return null;
    return new CaucusError('E_UNREACHABLE', `the pool's ${max} clients are all in use`);
  };
  /** Rejects with the signal's reason; and sooner if the pool has no client left. */
  const waited = async <T>(place: Promise<T>, signal: AbortSignal): Promise<T> => {
    const soon = anyOf([signal, AbortSignal.timeout(Math.ceil(waitMs))]);
    try {
      return await unlessAborted(place, soon);
    } catch (error) {
      const problem = inUse();
      if (problem !== null) throw problem;
      if (!soon.aborted || signal.aborted) throw error;
      return unlessAborted(place, signal);
    }
  };
  const letGo = (place: Promise<Connection>): void => {
    place.then((late) => late.destroy()).catch(() => {});
  };
  return {
    shown: party.at,
    load: async () => {},
    async open(signal) {
      const place = places.shift() ?? standInLine();
      let isRefused = false;
      place.catch(() => {
        isRefused = true;
      });
      let connection: Connection;
      try {
        connection = await waited(place, signal);
      } catch (error) {
        if (isRefused) throw explain(error, party);
        if (isClosed) letGo(place);
        else places.push(place);
        if (!signal.aborted) throw error;
        throw new CaucusError('E_UNREACHABLE', `the pool gave us no connection: ${reasonOf(signal.reason)}`);
      }
      return connection.isBroken ? this.open(signal) : connection;
    },
    async lend(signal) {
      const place = pool.connect();
      try {
        const client = await unlessAborted(place, signal);
        return { client, giveBack: (isClean) => client.release(!isClean) };
      } catch (error) {
        const problem = inUse();
        place.then((late) => late.release()).catch(() => {});
        if (problem !== null) throw problem;
        if (!signal.aborted) throw explain(error, party);
        throw new CaucusError('E_UNREACHABLE', 'the pool gave us no connection for a transaction');
      }
    },
    close() {
      isClosed = true;
      for (const place of places.splice(0)) letGo(place);
    },
  };
}
