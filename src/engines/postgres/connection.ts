import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { unlessAborted } from '../unless-aborted.ts';
import { cancel } from './cancel.ts';

/** What is used of a client of the package `pg`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown;
  readonly connection: { readonly stream: Pick<Readable, 'destroy'> };
  /** What it takes to have a statement given up; a client of another kind may not tell. */
  readonly processID?: number | null;
  readonly secretKey?: number | null;
  readonly host?: string;
  readonly port?: number;
  readonly ssl?: boolean | ConnectionOptions;
}

/** What is used of a pool of the package `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient & { release(destroy?: boolean): void }>;
  readonly options?: { readonly max?: number | undefined };
}

/** All columns are asked for as text, so that it does not matter how the program has told the library to read other types. */
export type Row = Readonly<Record<string, string | null>>;

/** How a client came about decides how it is let go of, and how its errors are put. */
export interface Ending {
  /** Says goodbye to the server and settles when that has happened. */
  end(): Promise<void>;
  explain(error: unknown): Error;
}

/** How often a statement is made that collides with others. */
const TRIES = 5;
/** How long a goodbye may take. */
const GOODBYE_MS = 500;
/** How long the server may take to hear that a statement is to be given up. */
const CANCEL_MS = 1000;

/** A connection that works, until it is broken; then it stays so. */
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
   * Makes one statement. When the signal is aborted it is unknown what has become of it: the server is told to give it up, and the
   * connection is broken.
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

  /** Calls with every notification, and once when the connection is broken. */
  listen(onNotice: (payload: string) => void, onBroken: () => void): void {
    this.#client.on('notification', ({ payload }) => onNotice(payload ?? ''));
    this.#onBroken = onBroken;
    if (this.#isBroken) onBroken();
  }

  /** At once, whatever it is doing. */
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

  /** After a goodbye, so that the server need not find out by itself. */
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
 * Whether the connection is as good as before: the server has refused this statement, nothing more. Where it says that the table
 * is gone or that nothing can be written, a new connection finds out about that.
 */
function isKept(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  const isFromServer = severity !== undefined && typeof code === 'string';
  return isFromServer && !/^(08|57|58|XX)|^(25006|42P01)$/.test(code);
}

/** Where a database is set to a stricter isolation than usual, the second statement is turned away, and nothing has happened. */
function isCollision(error: unknown): boolean {
  return (error as { code?: unknown }).code === '40001';
}
