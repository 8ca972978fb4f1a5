import { CaucusError } from '../../election/index.ts';
import type { Connection, Row } from './connection.ts';
import { isReadOnly, isStandby } from './problems.ts';
import type { Table } from './table.ts';

/** Stands in the comment of the table. It is raised with every change that an older version of this engine cannot live with. */
const VERSION = 1;

/** Only one may make the table at a time. The number spells "caucus". */
const LOCK = "x'636175637573'::bigint";
const LOCK_MS = 5000;

/**
 * Makes sure that a new connection leads to a server that can be written to, and that the table is there. Whoever may not make
 * it can use one that somebody else has made.
 */
export async function prepare(
  connection: Connection,
  table: Table,
  at: string,
  signal: AbortSignal,
): Promise<void> {
  const look = async (): Promise<Row> => (await connection.query(LOOK, [table.name], signal))[0]!;
  try {
    let found = await look();
    if (found.standby === 'true') throw isStandby(at);
    if (found.read_only === 'on') throw isReadOnly(at);
    if (found.found === null) {
      await connection.query(makeTable(table), [], signal);
      found = await look();
    }
    checkVersion(table, found.comment ?? null);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const LOOK = `
SELECT pg_is_in_recovery()::text AS standby,
       current_setting('transaction_read_only') AS read_only,
       to_regclass($1::text)::text AS found,
       obj_description(to_regclass($1::text), 'pg_class') AS comment`;

function checkVersion(table: Table, comment: string | null): void {
  const version = /^caucus leases, version (\d+)/.exec(comment ?? '')?.[1];
  if (version === String(VERSION)) return;
  const message =
    version === undefined
      ? `the table ${table.shown} exists but is not ours: its comment does not say "caucus leases, version ${VERSION}"`
      : `the table ${table.shown} is of version ${version}, and this package knows version ${VERSION}: use the same everywhere`;
  throw new CaucusError('E_UNSUPPORTED', `${message} (option table: another name)`);
}

/**
 * The sequence does not belong to the table, so that tokens go on growing if the table is dropped and made again.
 *
 * The index over name and fence makes the fence a part of a key. PostgreSQL lets a transaction hold a key still
 * (FOR KEY SHARE) while the rest of the row changes: so renewals pass a fenced transaction, and only a new token waits for it.
 */
export function makeTable({ schema, name, sequence, index }: Table): string {
  return `
DO $make$
BEGIN
  PERFORM set_config('lock_timeout', '${LOCK_MS}', true);
  PERFORM pg_advisory_xact_lock(${LOCK});
  IF to_regclass('${name}') IS NULL THEN
    IF to_regnamespace('${schema}') IS NULL THEN
      CREATE SCHEMA ${schema};
    END IF;
    CREATE SEQUENCE IF NOT EXISTS ${sequence};
    CREATE TABLE ${name} (
      name       text COLLATE "C" PRIMARY KEY,
      holder     uuid,
      leader     text,
      fence      bigint NOT NULL,
      expires_at timestamptz NOT NULL,
      value      json,
      version    bigint NOT NULL DEFAULT 0,
      request    bigint NOT NULL
    );
    CREATE UNIQUE INDEX ${index} ON ${name} (name, fence);
    COMMENT ON TABLE ${name} IS 'caucus leases, version ${VERSION}: one row per election';
  END IF;
END
$make$`;
}
