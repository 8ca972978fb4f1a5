import type { Occasion, Run } from '../../once/index.ts';
import { CaucusError } from '../errors.ts';
import type { Leadership } from '../leadership.ts';
import type { Transaction } from '../seat.ts';
import type { TransactionContext } from './options.ts';

/** What lets work run: a leadership, or the ownership of a shard. */
export type Right = Pick<Leadership, 'token' | 'signal' | 'assert' | 'expiresInMs' | 'heldForMs'>;

/** What the work of `once` gets. */
export function workContext(
  leadership: Right,
  signal: AbortSignal,
  {
    occasion,
    attempt,
    previous,
  }: { readonly occasion: Occasion; readonly attempt: number; readonly previous: Run | null },
  transaction: Transaction | null,
): TransactionContext {
  return {
    occasion,
    attempt,
    previous,
    signal,
    token: leadership.token,
    assert: () => {
      signal.throwIfAborted();
      leadership.assert();
    },
    get transaction(): Transaction {
      if (transaction !== null) return transaction;
      throw new CaucusError(
        'E_UNSUPPORTED',
        'there is no transaction: say transaction: true beside the work',
      );
    },
    get expiresInMs(): number {
      return leadership.expiresInMs;
    },
    get heldForMs(): number {
      return leadership.heldForMs;
    },
  };
}
