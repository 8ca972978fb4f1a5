import { BadInput, show } from '../core/values.ts';
import { CaucusError } from './errors.ts';

/** The header in which a leader sends its token with every request. */
export const TOKEN_HEADER = 'fencing-token';

/**
 * Guards a resource that only the leader may change: it refuses every token that is older than the highest it
 * accepted. This also stops a leader that was paused in the middle of a write and continues long after its lease
 * expired. It must live as long as the resource: after a restart, pass it the highest token that was stored.
 */
export class Gate {
  #highest: bigint | null;

  constructor(highest: bigint | null = null) {
    this.#highest = highest;
  }

  get highest(): bigint | null {
    return this.#highest;
  }

  /** Remembers the highest token. The same token passes again; a lower one is refused. */
  accepts(token: bigint): boolean {
    if (this.#highest !== null && token < this.#highest) return false;
    this.#highest = token;
    return true;
  }
}

export type TokenCheck =
  | { readonly ok: true; readonly token: bigint }
  /** `status` is the HTTP status that the service should answer. */
  | { readonly ok: false; readonly status: 400 | 412 | 428; readonly error: CaucusError };

/** Checks the token of a request: 428 if it is missing, 400 if it is not a number, 412 if it is stale. */
export function checkToken(header: string | readonly string[] | null | undefined, gate: Gate): TokenCheck {
  const [text, ...more] = typeof header === 'string' ? [header] : (header ?? []);
  if (text === undefined) {
    return refuse(428, new CaucusError('E_NO_TOKEN', `the request has no ${TOKEN_HEADER}`));
  }
  // No token ever has more digits, so longer texts are not parsed.
  if (more.length > 0 || !/^[0-9]{1,38}$/.test(text)) {
    return refuse(400, new CaucusError('E_NO_TOKEN', `${TOKEN_HEADER} is not one whole number`));
  }
  const token = BigInt(text);
  if (gate.accepts(token)) return { ok: true, token };
  return refuse(412, staleToken(token, gate.highest));
}

/** The error of every guard that refuses a token. */
export function staleToken(token: bigint, seen: unknown): CaucusError {
  return new CaucusError('E_STALE_TOKEN', `token ${token} is stale: ${seen} was seen`);
}

/** A token as decimal text, as stores get it. Throws BadInput for what cannot be a token. */
export function readToken(token: bigint): string {
  if (typeof token === 'bigint' && token >= 0n && token < 10n ** 38n) return token.toString();
  throw new BadInput('token', 'the token of a leadership, a bigint', show(token));
}

function refuse(status: 400 | 412 | 428, error: CaucusError): TokenCheck {
  return { ok: false, status, error };
}
