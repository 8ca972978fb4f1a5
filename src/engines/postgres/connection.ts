import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { unlessAborted } from '../unless-aborted.ts';
import { cancel } from './cancel.ts';

/** What we use of a client of the package `pg`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(
    event: 'notification',
    listener: (message: { payload?: string | undefined; processId?: number }) => void,
  ): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
  readonly connection: { readonly stream: Pick<Readable, 'destroy'> };
  /** Needed to cancel a statement; other kinds of clients may lack it. */
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly host?: string;
  readonly port?: number;
  readonly ssl?: boolean | ConnectionOptions;
}

/** What we use of a pool of the package `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient & { release(destroy?: boolean): void }>;
  readonly options?: { readonly max?: number | undefined };
  /** How many clients it has, and how many of these are free; other kinds of pools may not tell. */
  readonly totalCount?: number;
  readonly idleCount?: number;
}

/** All columns are read as text, so that the program's type parsers do not matter. */
export type Row = Readonly<Record<string, string | null>>;

/** How to close a client and explain its errors, which depends on where it came from. */
export interface Ending {
  /** Closes in an orderly way; settles when that is done. */
  end(): Promise<void>;
  explain(error: unknown): Error;
}

/** How often a statement that collides with others is tried. */
const TRIES = 5;
/** How long an orderly close may take. */
const GOODBYE_MS = 500;
/** How long the server may take to receive a cancel request. */
const CANCEL_MS = 1000;

/** A working connection, until it breaks; it is never repaired. */
export class Connection {
  readonly #client: PostgresClient;
  readonly #ending: Ending;
  #isBroken = false;
  #onBroken: () => void = () => {};

  constructor(client: PostgresClient, ending: Ending) {
    this.#client = client;
    this.#ending = ending;
    client.on('error', () => this.destroy());
    client.on('end', () => this.destroy());
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Runs one statement. When the signal is aborted the result is unknown: the server is asked to cancel, and the
   * connection is closed.
   */
  async query(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        const asked = this.#client.query(text, values.length === 0 ? undefined : [...values]);
        return (await unlessAborted(asked, signal)).rows;
      } catch (error) {
        if (signal.aborted) {
          void this.#giveUp();
          throw signal.reason;
        }
        if (!isKept(error)) this.destroy();
        if (!isCollision(error) || tries === TRIES) throw this.#ending.explain(error);
      }
    }
  }

  /** The server's process behind it, as notifications name their sender; null if the client does not tell. */
  get processId(): number | null {
    return this.#client.processID ?? null;
  }

  /** Calls back with every notification and its sender, and once when the connection breaks. */
  listen(onNotice: (payload: string, sender: number | null) => void, onBroken: () => void): void {
    this.#client.on('notification', ({ payload, processId }) => onNotice(payload ?? '', processId ?? null));
    this.#onBroken = onBroken;
    if (this.#isBroken) onBroken();
  }

  /** Closes at once, whatever it is doing. */
  destroy(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#drop();
    this.#onBroken();
  }

  async #giveUp(): Promise<void> {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#onBroken();
    await cancel(this.#client, CANCEL_MS);
    this.#drop();
  }

  #drop(): void {
    this.#ending.end().catch(() => {});
    this.#client.connection.stream.destroy();
  }

  /** Closes in an orderly way, so that the server learns of it at once. */
  async close(): Promise<void> {
    if (this.#isBroken) return;
    this.#isBroken = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS);
    });
    await Promise.race([this.#ending.end().catch(() => {}), late]);
    clearTimeout(timer);
    this.#client.connection.stream.destroy();
  }
}

/**
 * Whether the connection is still usable: the server only refused this statement. If it says that the table is gone
 * or that writes are refused, a new connection checks that.
 */
function isKept(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  const isFromServer = severity !== undefined && typeof code === 'string';
  return isFromServer && !/^(08|57|58|XX)|^(25006|42P01)$/.test(code);
}

/**
 * In a database with a stricter isolation level, the second of two concurrent statements is refused and has no
 * effect.
 */
function isCollision(error: unknown): boolean {
  return (error as { code?: unknown }).code === '40001';
}
