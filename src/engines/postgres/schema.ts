import { CaucusError } from '../../election/index.ts';
import type { Connection, Row } from './connection.ts';
import { isReadOnly, isStandby } from './problems.ts';
import type { Table } from './table.ts';

/**
 * Part of the table's comment. Raised with every change that is incompatible with older versions of this engine. The
 * later columns `asked` and `lasts` are not: older versions leave them alone.
 */
const VERSION = 1;

/** Only one client at a time may create the table. The number spells "caucus". */
const LOCK = "x'636175637573'::bigint";
const LOCK_MS = 5000;
/** A client that waits to change a table blocks all others from using it, and leaders from renewing. */
const CHANGE_LOCK_MS = 50;

/** What this table can hold. */
export interface Abilities {
  /** Requests to resign. */
  readonly canAsk: boolean;
  /** How long a lease lasts after a renewal. */
  readonly canLast: boolean;
}

/**
 * Makes sure that a new connection leads to a writable server, and that the table exists. A user that may not create
 * or upgrade the table can use one that another user has created.
 */
export async function prepare(
  connection: Connection,
  table: Table,
  at: string,
  signal: AbortSignal,
): Promise<Abilities> {
  const look = async (): Promise<Row> =>
    (await connection.query(LOOK, [table.name, table.sequence], signal))[0]!;
  try {
    let found = await look();
    if (found.standby === 'true') throw isStandby(at);
    if (found.read_only === 'on') throw isReadOnly(at);
    if (found.found === null) {
      await connection.query(makeTable(table), [], signal);
      found = await look();
    }
    checkVersion(table, found.comment ?? null);
    if (found.counter === null) await connection.query(makeSequence(table), [], signal);
    const isOld = found.can_ask !== 'true' || found.can_last !== 'true';
    if (isOld && found.is_owner === 'true') {
      // If another client has locked the table, the next connection upgrades it.
      await connection.query(bringUpToDate(table), [], signal).catch(() => {});
      found = await look();
    }
    return { canAsk: found.can_ask === 'true', canLast: found.can_last === 'true' };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

const LOOK = `
SELECT pg_is_in_recovery()::text AS standby,
       current_setting('transaction_read_only') AS read_only,
       to_regclass($1::text)::text AS found,
       to_regclass($2::text)::text AS counter,
       obj_description(to_regclass($1::text), 'pg_class') AS comment,
       (SELECT pg_has_role(relowner, 'USAGE')::text FROM pg_class WHERE oid = to_regclass($1::text)) AS is_owner,
       ${hasColumn('asked')} AS can_ask,
       ${hasColumn('lasts')} AS can_last`;

function hasColumn(name: string): string {
  return `EXISTS (SELECT FROM pg_attribute
         WHERE attrelid = to_regclass($1::text) AND attname = '${name}' AND NOT attisdropped)::text`;
}

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
 * The sequence does not belong to the table, so that tokens keep growing if the table is dropped and created again.
 *
 * The index over name and fence makes the fence part of a key. PostgreSQL lets a transaction lock a key (FOR KEY
 * SHARE) while the rest of the row changes: so renewals pass a fenced transaction, and only a new token waits for it.
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
      request    bigint NOT NULL,
      asked      text,
      lasts      text
    );
    CREATE UNIQUE INDEX ${index} ON ${name} (name, fence);
    COMMENT ON TABLE ${name} IS 'caucus leases, version ${VERSION}: one row per election';
  END IF;
END
$make$`;
}

/**
 * A table can exist without its sequence, for example from a backup of the table alone. The sequence continues from
 * the greatest known token.
 */
function makeSequence({ name, sequence }: Table): string {
  return `
DO $count$
BEGIN
  PERFORM set_config('lock_timeout', '${LOCK_MS}', true);
  PERFORM pg_advisory_xact_lock(${LOCK});
  IF to_regclass('${sequence}') IS NULL THEN
    CREATE SEQUENCE ${sequence};
    PERFORM setval('${sequence}', (SELECT coalesce(max(fence), 0) + 1 FROM ${name}), false);
  END IF;
END
$count$`;
}

/** Adds columns that tables of earlier versions of this package lack. Several clients may do this at the same time. */
function bringUpToDate({ name }: Table): string {
  return `
DO $change$
BEGIN
  PERFORM set_config('lock_timeout', '${CHANGE_LOCK_MS}', true);
  ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS asked text, ADD COLUMN IF NOT EXISTS lasts text;
END
$change$`;
}
