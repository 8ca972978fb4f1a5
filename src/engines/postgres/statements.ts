import type { Abilities } from './schema.ts';
import type { Table } from './table.ts';

/** The statements. Each is one transaction. */
export interface Statements {
  /**
   * name, holder, request, leader, leaseMs, lockMs, mark of an expired lease; if the version is still this, the value to publish with it, in
   * which this text is replaced by the token → granted, and the state
   */
  readonly take: string;
  /**
   * names, holder, their fences, leaseMs, lockMs → a row for each, with its place in the list (from 1), what became of
   * it (`renewed`, `lost` or `locked`), and the last request to resign
   */
  readonly renew: string;
  /** name, holder, fence, lockMs */
  readonly release: string;
  /** name, holder, request, lockMs: releases what an earlier, unanswered request of ours may have taken */
  readonly leave: string;
  /** name, holder, fence, request, value, lockMs → version, if the lease is ours */
  readonly publish: string;
  /** name, holder, fence, idleMs, mark → a row if the lease is ours, which then stays ours until the transaction ends */
  readonly fence: string;
  /** name, holder, fence, request, value, mark → version, if it is the transaction in which `fence` was run */
  readonly record: string;
  /** name, fence, request to resign, lockMs; null if the table cannot hold one */
  readonly ask: string | null;
  /** names → for each its place in the list (from 1), standby, and the state */
  readonly read: string;
}

export function statementsOn(
  { name: table, sequence, channel }: Table,
  { canAsk, canLast }: Abilities,
): Statements {
  // Each renewal changes the mark: the end of the lease, to the microsecond.
  const mark = (lease: string): string => `${lease}.fence || ' ' || extract(epoch FROM ${lease}.expires_at)`;
  // The state of a row. The remaining time is 0 or less when there is no leader.
  const state = (lease: string): string => `
  ${lease}.leader, ${lease}.fence::text, ${lease}.value::text, ${lease}.version::text, ${mark(lease)} AS mark,
  ${canLast ? `${lease}.lasts` : 'NULL AS lasts'},
  CASE WHEN ${lease}.holder IS NULL THEN '0'
    ELSE (extract(epoch FROM ${lease}.expires_at - clock_timestamp()) * 1000)::text END AS left_ms`;
  const notify = (what: string): string =>
    `pg_notify('${channel.slice(1, -1)}', ${what}fence || ' ' || name)`;
  const tell = notify('');
  const until = (leaseMs: string): string =>
    `clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`;
  // A cancelled statement must not wait for a lock either. And what we were told must survive a crash of the server,
  // even if the database is configured otherwise. Both settings hold for this one transaction.
  const care = (lockMs: string): string => `
care AS (
  SELECT set_config('lock_timeout', ${lockMs}, true),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'local', true) END
)`;
  const isFree = (
    lease: string,
  ): string => `(${lease}.holder IS NULL OR ${lease}.expires_at <= clock_timestamp()
    OR ${lease}.holder = $2::uuid AND ${lease}.request < $3::bigint OR ${mark(lease)} = $7)`;
  const nextFence = 'greatest(lease.fence + 1, excluded.fence)';
  const opening = (fence: string): string => `replace($9::text, $10::text, '"' || ${fence} || '"')::json`;
  const [lasts, lastsValue, lastsUpdate] = canLast
    ? [', lasts', ", drawn.fence || ' ' || $5", `, lasts = ${nextFence} || ' ' || $5`]
    : ['', '', ''];

  const isWanted = `lease.name = wanted.name AND lease.fence = wanted.fence AND lease.holder = $2::uuid
    AND lease.expires_at > clock_timestamp()`;

  return {
    // Waiting candidates only read. A candidate that finds the lease free, and is the only one that tries, draws a
    // token only then: so tokens grow in the order in which they are granted, even if the row is deleted meanwhile.
    // No statement waits, neither for other candidates nor for a transaction that has locked the row, since the
    // leaders of other elections renew over this connection.
    take: `
WITH seen AS (SELECT * FROM ${table} WHERE name = $1), ${care('$6')},
turn AS (
  SELECT pg_try_advisory_xact_lock(hashtextextended('${table} ' || $1, 0)) AS ours FROM care
  WHERE NOT EXISTS (SELECT FROM seen WHERE NOT ${isFree('seen')})
),
locked AS (
  SELECT lease.name FROM turn, ${table} AS lease WHERE turn.ours AND lease.name = $1 AND ${isFree('lease')}
  FOR UPDATE OF lease NOWAIT
),
taken AS (
  INSERT INTO ${table} AS lease (name, holder, request, leader, fence, expires_at, value, version${lasts})
  SELECT $1, $2::uuid, $3::bigint, $4, drawn.fence, ${until('$5')},
    CASE $8::bigint WHEN 0 THEN ${opening('drawn.fence')} END, CASE $8::bigint WHEN 0 THEN 1 ELSE 0 END${lastsValue}
  FROM turn, LATERAL (SELECT nextval('${sequence}') AS fence) AS drawn
  WHERE turn.ours AND (EXISTS (SELECT FROM locked) OR NOT EXISTS (SELECT FROM seen))
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, request = excluded.request, leader = excluded.leader,
    fence = ${nextFence}, expires_at = ${until('$5')},
    value = CASE lease.version WHEN $8::bigint THEN ${opening(nextFence)} ELSE lease.value END,
    version = lease.version + CASE lease.version WHEN $8::bigint THEN 1 ELSE 0 END${lastsUpdate}
  WHERE ${isFree('lease')}
  RETURNING *
)
SELECT 'true' AS granted, ${state('taken')}, ${tell}::text AS told FROM taken
UNION ALL
SELECT 'false', ${state('seen')}, '' FROM seen WHERE NOT EXISTS (SELECT FROM taken)`,

    // A row that another client has locked is left out, and is tried again a moment later: it delays neither the other
    // rows nor other participants. It counts as lost only if it was not ours when the statement began.
    renew: `
WITH ${care('$5')}, wanted AS (
  SELECT * FROM unnest($1::text[], $3::bigint[]) WITH ORDINALITY AS wanted (name, fence, place)
),
seen AS (SELECT lease.name FROM wanted, ${table} AS lease WHERE ${isWanted}),
locked AS (
  SELECT lease.name FROM wanted, ${table} AS lease WHERE ${isWanted} FOR NO KEY UPDATE OF lease SKIP LOCKED
),
renewed AS (
  UPDATE ${table} AS lease SET expires_at = ${until('$4')} FROM care, locked, wanted
  WHERE lease.name = locked.name AND ${isWanted}
  RETURNING lease.name, ${canAsk ? 'lease.asked' : 'NULL AS asked'}
)
SELECT wanted.place::text, renewed.asked,
  CASE WHEN renewed.name IS NOT NULL THEN 'renewed' WHEN seen.name IS NOT NULL THEN 'locked' ELSE 'lost' END AS outcome
FROM wanted LEFT JOIN renewed ON renewed.name = wanted.name LEFT JOIN seen ON seen.name = wanted.name`,

    release: `
WITH ${care('$4')}, freed AS (
  UPDATE ${table} AS lease SET holder = NULL, leader = NULL, expires_at = clock_timestamp() FROM care
  WHERE name = $1 AND holder = $2::uuid AND fence = $3::bigint
  RETURNING name, fence
)
SELECT ${tell}::text AS told FROM freed`,

    leave: `
WITH ${care('$4')}, freed AS (
  UPDATE ${table} AS lease SET holder = NULL, leader = NULL, expires_at = clock_timestamp() FROM care
  WHERE name = $1 AND holder = $2::uuid AND request < $3::bigint
  RETURNING name, fence
)
SELECT ${tell}::text AS told FROM freed`,

    publish: `
WITH ${care('$6')}, said AS (
  UPDATE ${table} AS lease SET value = $5::json, version = version + 1, request = $4::bigint FROM care
  WHERE name = $1 AND holder = $2::uuid AND fence = $3::bigint AND request < $4::bigint
    AND expires_at > clock_timestamp()
  RETURNING name, fence, version
)
SELECT version::text, ${tell}::text AS told FROM said`,

    // No newer token can be granted while this lock is held, and renewals pass it. A program that is stopped must not
    // hold it for ever.
    fence: `
SELECT set_config('idle_in_transaction_session_timeout', $4, true), set_config('caucus.transaction', $5, true),
  CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'local', true) END
FROM (SELECT FROM ${table} WHERE name = $1 AND holder = $2::uuid AND fence = $3::bigint FOR KEY SHARE) AS ours`,

    record: `
WITH said AS (
  UPDATE ${table} SET value = $5::json, version = version + 1, request = $4::bigint
  WHERE name = $1 AND holder = $2::uuid AND fence = $3::bigint AND request < $4::bigint
    AND current_setting('caucus.transaction', true) = $6
  RETURNING name, fence, version
)
SELECT version::text, ${tell}::text AS told FROM said`,

    ask: canAsk
      ? `
WITH ${care('$4')}, asked AS (
  UPDATE ${table} AS lease SET asked = $3 FROM care
  WHERE name = $1 AND fence = $2::bigint AND holder IS NOT NULL AND expires_at > clock_timestamp()
  RETURNING name, fence
)
SELECT ${notify("'asked ' || ")}::text AS told FROM asked`
      : null,

    read: `
SELECT pg_is_in_recovery()::text AS standby, wanted.place::text, row.*
FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place)
LEFT JOIN (SELECT lease.name, ${state('lease')} FROM ${table} AS lease) AS row ON row.name = wanted.name`,
  };
}
