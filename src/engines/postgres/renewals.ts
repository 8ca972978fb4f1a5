import type { Renewals } from '../lease/shared-renewal.ts';
import { isLocked } from './problems.ts';
import type { Around, PostgresGrant } from './store.ts';

/** The row of an election that we hold. */
export interface RowToRenew {
  readonly election: string;
  readonly token: bigint;
}

export type PostgresRenewals = Renewals<RowToRenew, PostgresGrant>;

/** Renews all of these with one statement. */
export function renewRows(
  around: Around,
  rows: readonly RowToRenew[],
  signal: AbortSignal,
): readonly Promise<PostgresGrant | null>[] {
  const { link, incarnation, times, lockMs, at } = around;
  const names = rows.map(({ election }) => election);
  const fences = rows.map(({ token }) => String(token));
  const values = [names, incarnation, fences, times.leaseMs, lockMs];
  const answer = link
    .query(() => around.statements.renew, values, signal, 'renewal')
    .then((found) => new Map(found.map((row) => [Number(row.place), row])));
  return rows.map(async ({ token }, index) => {
    const row = (await answer).get(index + 1);
    if (row?.outcome === 'lost') return null;
    if (row?.outcome !== 'renewed') throw isLocked(at);
    const mark = `${token} `;
    return row.asked?.startsWith(mark) ? { token, asked: row.asked.slice(mark.length) } : { token };
  });
}
