import { BadInput, show } from '../../core/index.ts';
import { CaucusError, readToken, staleToken } from '../../election/index.ts';

/** One connection to PostgreSQL, of any library: it runs a statement with values for $1, $2, … */
export interface SqlClient {
  query(text: string, values: string[]): PromiseLike<unknown>;
}

/** A pool that lends connections, as that of `pg` does. */
export interface SqlPool {
  connect(): Promise<SqlClient & { release(destroy?: boolean): void }>;
}

/** What a pool lends. The second signature is for pools whose `connect` also takes a callback. */
export type ClientOf<P> = P extends { connect: { (): Promise<infer C>; (...args: never[]): unknown } }
  ? C
  : SqlClient;

export interface SqlFenceOptions {
  /** The table of the highest tokens (default: `fences`); `schema.table` is allowed. */
  readonly table?: string;
}

/**
 * The highest token of each election in a table of PostgreSQL. A transaction begins with `check`, which locks the row of
 * the election until the transaction ends: a newer leader cannot come between the check and the writes.
 */
export class SqlFence {
  readonly #election: string;
  readonly #table: string;

  constructor(election: string, { table = 'fences' }: SqlFenceOptions = {}) {
    if (typeof election !== 'string' || election === '')
      throw new BadInput('election', 'the name of an election', show(election));
    // It is put into statements as it is.
    if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/.test(table))
      throw new BadInput('table', 'a name like fences or app.fences', show(table));
    this.#election = election;
    this.#table = table;
  }

  /** The statement that creates the table, for a migration. */
  get definition(): string {
    return `CREATE TABLE IF NOT EXISTS ${this.#table} (election text PRIMARY KEY, token numeric(38) NOT NULL)`;
  }

  /**
   * Call it inside a transaction, before the writes. Throws E_STALE_TOKEN if a newer leader has written: roll back then.
   */
  async check(client: SqlClient, token: bigint): Promise<void> {
    const text = `INSERT INTO ${this.#table} AS f (election, token) VALUES ($1, $2::numeric)
      ON CONFLICT (election) DO UPDATE SET token = EXCLUDED.token WHERE f.token <= EXCLUDED.token
      RETURNING token`;
    const accepted = await client.query(text, [this.#election, readToken(token)]);
    if (rowsOf(accepted).length > 0) return;
    const seen = `SELECT token FROM ${this.#table} WHERE election = $1`;
    const [row] = rowsOf(await client.query(seen, [this.#election]));
    throw staleToken(token, (row as { token: unknown } | undefined)?.token);
  }

  /**
   * Runs the work in a transaction that begins with `check`, and commits. If the check or the work fails, nothing of it
   * stays. A failed COMMIT is `indefinite`: the transaction may have been committed.
   */
  async transaction<T, P extends SqlPool>(
    pool: P,
    token: bigint,
    work: (client: ClientOf<P>) => T | PromiseLike<T>,
  ): Promise<T> {
    const client = await pool.connect();
    let isClean = false;
    try {
      await client.query('BEGIN', []);
      const result = await this.check(client, token)
        .then(() => work(client as ClientOf<P>))
        .catch(async (error) => {
          // If that fails too, the connection is closed, which ends the transaction.
          isClean = await Promise.resolve(client.query('ROLLBACK', [])).then(
            () => true,
            () => false,
          );
          throw error;
        });
      await commit(client);
      isClean = true;
      return result;
    } finally {
      // A connection whose transaction did not end must not go back to the pool.
      client.release(!isClean);
    }
  }
}

async function commit(client: SqlClient): Promise<void> {
  try {
    await client.query('COMMIT', []);
  } catch (cause) {
    const message = `the transaction may or may not have been committed: ${(cause as Error).message}`;
    throw new CaucusError('E_FAILED', message, { outcome: 'indefinite', cause });
  }
}

/** Libraries return the rows, or an object that has them. */
function rowsOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  const rows = (result as { rows?: unknown } | null)?.rows;
  if (Array.isArray(rows)) return rows;
  throw new BadInput('query', 'a function that resolves with rows, or with { rows }', show(result));
}
