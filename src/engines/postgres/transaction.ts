import { randomUUID } from 'node:crypto';
import { CaucusError, type TransactedWork, type Transaction } from '../../election/index.ts';
import { reasonOf } from '../lease/explain.ts';
import type { PostgresClient } from './connection.ts';
import type { Source } from './source.ts';
import type { Statements } from './statements.ts';

/** How the server says that it has ended a connection whose transaction waited for its program. */
const IDLE_TIMEOUT = '25P03';

/** Whose transaction it is. */
interface Holder {
  /** The election, the holder and its token, as the statements take them. */
  readonly holds: readonly string[];
  /** Draws the number of a request, after all that were sent. */
  request(): string;
}

/**
 * Runs the work between a check that the lease is ours, which keeps it ours until the end, and the record of what was
 * done. Returns the version of the record once it is committed; null if the lease is not ours. If it rejects, it was
 * rolled back, unless the outcome of the error is indefinite: then the connection broke, perhaps at the commit.
 */
export async function inTransaction(
  source: Source,
  openMs: number,
  { fence, record }: Statements,
  { holds, request }: Holder,
  { run, value, idleMs, ended }: TransactedWork,
): Promise<number | null> {
  const { client, giveBack } = await source.lend(AbortSignal.timeout(openMs));
  let isClean = false;
  let timedOut: CaucusError | null = null;
  // Without a listener, an error of a client of a pool would end the process.
  const onError = (error: unknown): void => {
    if (timedOut !== null || (error as { code?: unknown } | null)?.code !== IDLE_TIMEOUT) return;
    const message = `the work did not use its transaction for ${idleMs} ms (idleMs), so the server has ended it`;
    timedOut = new CaucusError('E_TIMEOUT', message, { cause: error });
    ended?.(timedOut);
  };
  client.on('error', onError);
  /** The work itself has rejected. */
  let hasFailed = false;
  const ask = async (
    text: string,
    more: readonly string[],
  ): Promise<readonly Record<string, string | null>[]> =>
    (await client.query(text, [...holds, ...more])).rows;
  try {
    // In a stricter level, a renewal of the lease would end the transaction.
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    const mark = randomUUID();
    if ((await ask(fence, [String(Math.ceil(idleMs)), mark])).length === 0) {
      isClean = await isRolledBack(client);
      return null;
    }
    try {
      hasFailed = true;
      await run(client as unknown as Transaction);
      hasFailed = false;
      const json = JSON.stringify(await value());
      const [said] = await ask(record, [request(), json, mark]);
      if (said === undefined)
        throw new CaucusError(
          'E_REFUSED',
          'the work has ended its transaction itself, or its leadership is over',
        );
      await client.query('COMMIT');
      isClean = true;
      return Number(said.version);
    } catch (error) {
      isClean ||= await isRolledBack(client);
      onError(error); // It may also come as the answer to a statement that was just sent.
      if (timedOut !== null) throw timedOut;
      if (hasFailed || error instanceof CaucusError || isRefusal(error)) throw error;
      throw new CaucusError('E_FAILED', `the transaction failed: ${reasonOf(error)}`, {
        outcome: 'indefinite',
        cause: error,
      });
    }
  } finally {
    if (isClean) client.off?.('error', onError);
    giveBack(isClean);
  }
}

/** The server refused a statement, for example because a constraint is violated; then it rolls back. */
function isRefusal(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR';
}

/** After a failed commit this finds no transaction, or a connection that is gone. */
async function isRolledBack(client: PostgresClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}
