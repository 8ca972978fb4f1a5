import { CaucusError } from '../../election/index.ts';
import { withoutSecrets } from '../secrets.ts';

/** The server and the user that an error is about. */
export interface Party {
  /** The server, for people. */
  readonly at: string;
  readonly user: string | undefined;
  readonly secrets: readonly string[];
}

/** One sentence for people, without secrets, for any error of the library or the server. */
export function explain(error: unknown, party: Party): Error {
  if (error instanceof CaucusError) return error;
  return new CaucusError('E_UNREACHABLE', withoutSecrets(sentence(error, party), party.secrets), {
    outcome: 'indefinite',
  });
}

export function isStandby(at: string): Error {
  return new CaucusError('E_UNREACHABLE', `${at} is a read-only standby; connect to the primary`);
}

export function isReadOnly(at: string): Error {
  const message = `${at} refuses all writes (default_transaction_read_only is on); connect to a server that takes them`;
  return new CaucusError('E_UNREACHABLE', message);
}

export function isLocked(at: string): Error {
  return new CaucusError('E_UNREACHABLE', lockedAt(at), { outcome: 'indefinite' });
}

export function lacksColumn(at: string): Error {
  const message = `the table of elections at ${at} has no column for requests to resign: connect once as its owner`;
  return new CaucusError('E_UNSUPPORTED', message);
}

function sentence(error: unknown, { at, user }: Party): string {
  const { code, message } = firstOf(error);
  const who = user === undefined ? 'its user' : `user ${user}`;
  switch (code) {
    case '28P01':
      return `${at} refused the password of ${who}`;
    case '28000':
      return `${at} refused ${who}: ${message}`;
    case '42501':
      return `${who} lacks a right at ${at}: ${message}`;
    case '25006':
      return `${at} refuses all writes: ${message}`;
    case '55P03':
      return lockedAt(at);
    case 'ECONNREFUSED':
      return `no server listens at ${at}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host of ${at} is not known`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${at} has cut the connection`;
  }
  if (message.startsWith('Connection terminated')) return `${at} has cut the connection`;
  if (message.includes('client password must be')) return `${at} asks for a password of ${who}`;
  return `${at}: ${message}`;
}

function lockedAt(at: string): string {
  return `another transaction at ${at} has locked the row`;
}

/** If a host has several addresses, Node.js reports an error for each: the first is enough. */
function firstOf(error: unknown): { code: unknown; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return firstOf(error.errors[0]);
  if (error instanceof Error) return { code: (error as { code?: unknown }).code, message: error.message };
  return { code: undefined, message: String(error) };
}
