import { CaucusError } from '../../election/index.ts';
import { withoutSecrets } from '../secrets.ts';
import type { Address } from './address.ts';

/** Codes in the answers of JetStream. */
const WRONG_LAST_SEQUENCE = [10071, 10164];
const STREAM_NOT_FOUND = 10059;

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** A conflict: the revision to replace is not the current one. */
export function isConflict(error: unknown): boolean {
  return WRONG_LAST_SEQUENCE.includes(codeOf(error) as number);
}

export function isBucketMissing(error: unknown): boolean {
  return codeOf(error) === STREAM_NOT_FOUND;
}

/** No responder: the bucket does not exist, or has no leader now, or JetStream is not enabled. */
export function isUnheard(error: unknown): boolean {
  return error instanceof Error && error.name === 'JetStreamNotEnabled';
}

/** One clear sentence for people, without secrets. */
export function explained(error: unknown, address: Address): CaucusError {
  if (error instanceof CaucusError) return error;
  const message = withoutSecrets(sentence(error, address), [address.password, address.token]);
  return new CaucusError('E_UNREACHABLE', message, { outcome: 'indefinite' });
}

function sentence(error: unknown, { user, token, servers }: Address): string {
  if (!(error instanceof Error)) return String(error ?? 'the connection was closed');
  const where = servers.join(', ');
  if (/authorization|authentication/i.test(`${error.name} ${error.message}`)) {
    if (user !== undefined) return `${where} refused the password of user ${user}`;
    if (token !== undefined) return `${where} refused the token`;
    return `${where} refused us: it asks for a user and a password, a token or an authenticator`;
  }
  if (isUnheard(error))
    return `${where} has JetStream not enabled, or its bucket has no leader at the moment`;
  const first = error.message.split('\n', 1)[0]!;
  if (error.name === 'ConnectionError' || 'syscall' in error)
    return `no server answers at ${where} (${first})`;
  return first === '' ? error.name : first;
}
