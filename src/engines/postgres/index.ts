/**
 * postgres: elections in a table of a PostgreSQL database, one row each.
 *
 * Promises, as long as only this engine changes the table, what the server has committed stays, the server's clock is not set
 * ahead while a participant leads, and the rates of all clocks are within `maxDrift` of each other:
 *   - at no moment may two participants that use this engine act;
 *   - tokens (the column `fence`) only grow, over all restarts, and also if a row or the whole table is deleted;
 *   - candidates see a release at once, a crash when the lease expires, also if the server's clock was set back: they
 *     also time an unchanged lease on their own clock;
 *   - a published value outlives its leader;
 *   - transactions in the same database can be fenced completely: see docs/engines/postgres.md.
 *
 * Does not promise: anything about what an asynchronous replica had not received when it became the primary. The row, the counter
 * behind the tokens and the last renewal go back then, so that two may lead and tokens can come twice. With
 * `synchronous_standby_names` and a fail-over to such a standby only, nothing goes back. If an operator deletes the leader's row,
 * the next one leads at once, and the old one learns of it a moment later: a resource that can be fenced should be, by the token.
 *
 * How: every act is one statement with all of its arithmetic in the server, so that nothing depends on a session and a
 * pooler in transaction mode may stand between. Waiters are woken by NOTIFY; where that does not come through, they look
 * every `retryMs`. All elections of an engine share one connection, and one more that listens: one statement renews all
 * rows that the engine holds and goes first, no take and no renewal waits for a lock, and what takes too long is cancelled
 * at the server.
 */
import { randomUUID } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { BadInput, show } from '../../core/index.ts';
import { processClock } from '../../election/index.ts';
import { LeaseEngine, type LeaseEngineOptions } from '../lease/lease-engine.ts';
import { checkOptions, type OwnOptions } from '../lease/options.ts';
import { type LeaseTimes, leaseTimes } from '../lease/settings.ts';
import { renewalsOf } from '../lease/shared-renewal.ts';
import { kindOf } from '../secrets.ts';
import { parseAddress } from './address.ts';
import type { PostgresPool } from './connection.ts';
import { Link } from './link.ts';
import { Listener } from './listener.ts';
import { Looks } from './looks.ts';
import { renewRows } from './renewals.ts';
import { prepare } from './schema.ts';
import { type Source, sourceOfPool, sourceOfUrl } from './source.ts';
import { statementsOn } from './statements.ts';
import { type Around, type PostgresGrant, PostgresStore } from './store.ts';
import { checkName, tableOf } from './table.ts';

export type { PostgresClient, PostgresPool } from './connection.ts';

export interface PostgresOptions extends LeaseEngineOptions {
  /** The schema of the table (default: `public`). It is created if it is missing. */
  readonly schema?: string;
  /** The table's name (default: `caucus_lease`). It is created if it is missing. */
  readonly table?: string;
  /** TLS, as the package `pg` takes it. The URL takes precedence. */
  readonly ssl?: boolean | ConnectionOptions;
  /**
   * False: keep no connection for wake-ups, for example behind a pooler in transaction mode, where they do not work.
   */
  readonly listen?: boolean;
}

const OPTIONS: OwnOptions<PostgresOptions> = { schema: 0, table: 0, ssl: 0, listen: 0 };
const FLOOR = {
  leaseMs: 500,
  reason: "every renewal has to reach the server's disk, which takes some tenths of a second now and then",
};

/**
 * Elections in the database at `postgres://user:password@host:port/database` (or `postgresql://…`), or in that of a
 * pool of the package `pg`, which you have to end yourself: the engine keeps one of its connections while it is open,
 * and one to listen. Connects when needed.
 */
export function postgres(
  at: string | PostgresPool,
  options: PostgresOptions = {},
): LeaseEngine<PostgresGrant> {
  checkOptions(options, OPTIONS);
  const { listen = true, clock = processClock } = options;
  if (typeof listen !== 'boolean') throw new BadInput('listen', 'true or false', show(listen));
  const checked = leaseTimes(options, FLOOR);
  // Waiting candidates are notified, so they poll as rarely as a leader renews.
  const times = listen ? { ...checked, retryMs: options.retryMs ?? checked.renewMs } : checked;
  const source = sourceAt(at, options.ssl, times);
  const table = tableOf(options.schema, options.table);
  if (listen && typeof at === 'object' && at.options?.max === 1)
    throw new BadInput('url', 'a pool of two connections or more, or listen: false', 'a pool of one');
  // Connecting may take longer than a statement: the attempt continues for the next call when its caller stops
  // waiting.
  const openMs = Math.max(times.callMs, Math.min(times.leaseMs, 5000));
  const link = new Link(openMs, async (signal) => {
    const connection = await source.open(signal);
    around.statements = statementsOn(table, await prepare(connection, table, source.shown, signal));
    return connection;
  });
  const isOurs = (sender: number | null): boolean => sender !== null && sender === link.processId;
  const listener = listen ? new Listener(source, table, clock, openMs, isOurs) : null;
  const around: Around = {
    link,
    listener,
    source,
    openMs,
    // Statements that suit every table, until the table was read.
    statements: statementsOn(table, { canAsk: false, canLast: false }),
    at: source.shown,
    incarnation: randomUUID(),
    requests: { last: 0 },
    clock,
    times,
    // Briefly, since all elections share one connection.
    lockMs: String(Math.ceil(Math.max(50, times.callMs / 4))),
    renewals: renewalsOf(clock, times, (rows, signal) => renewRows(around, rows, signal)),
    looks: new Looks({ link, clock, times, at: source.shown, statement: () => around.statements.read }),
  };
  const kind = {
    storeName: 'PostgreSQL',
    times,
    checkName,
    load: () => source.load(),
    open: (election: string, name: string) => new PostgresStore(around, election, name),
    async close() {
      source.close();
      await Promise.all([listener?.close(), link.close()]);
    },
  };
  return new LeaseEngine(kind, options);
}

/** A call is told why it waits before its time is up. */
const OF_CALL = 0.8;

function sourceAt(at: string | PostgresPool, ssl: PostgresOptions['ssl'], { callMs }: LeaseTimes): Source {
  if (ssl !== undefined && typeof ssl !== 'boolean' && (typeof ssl !== 'object' || ssl === null))
    throw new BadInput('ssl', 'true, false, or TLS options as the package pg takes them', kindOf(ssl));
  if (typeof at !== 'object' || at === null || typeof at.connect !== 'function')
    return sourceOfUrl(parseAddress(at as string), ssl);
  if (ssl !== undefined)
    throw new BadInput('ssl', 'to be given to the pool itself', 'a pool and this option');
  return sourceOfPool(at, callMs * OF_CALL);
}
