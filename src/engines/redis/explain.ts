import { withoutSecrets } from '../secrets.ts';
import type { Address } from './address.ts';

/** The error in one short sentence, without secrets. */
export function explain(error: unknown, { user, password }: Address): Error {
  const text = textOf(error);
  const said = withoutSecrets(text, [password]);
  const who = user === undefined ? 'the default user' : `user ${user}`;
  if (text.startsWith('WRONGPASS')) return new Error(`it refused the password of ${who}`);
  if (text.startsWith('NOAUTH'))
    return new Error('it wants a password: redis://user:password@host or redis://:password@host');
  if (/^NOPERM|^ERR The user executing the script can't/.test(text))
    return new Error(`it denies ${who} a permission: ${said.replace(/^\w+ /, '')}`);
  if (text.startsWith('READONLY')) return new Error('it is a read-only replica: connect to its master');
  return new Error(said);
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses fails with one error for each, and an empty message of its own.
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const text = error.message || inner?.message || error.name;
  return text.replace(/ script: [0-9a-f]{40}, on @user_script.*$/s, '');
}
