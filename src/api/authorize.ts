/**
 * The authorization of a request, before its body is read: which token it carries, and whether that may do what the
 * path is for (src/auth/roles.ts). The tokens are in the header `authorization: Bearer …` only: a URL ends up in logs.
 *
 * Messages of voters are authenticated by `VoterCheck`, if there is one.
 */
import type { IncomingMessage } from 'node:http';
import { type Access, judge, type Lack, type Need } from '../auth/index.ts';
import type { MemberId } from '../core/index.ts';
import { HttpError } from './http-error.ts';
import type { Refusal } from './port.ts';
import type { Signer } from './reply.ts';

/** Authenticates voters that send messages by POST. */
export interface VoterCheck {
  /**
   * Called before the body is read: throws HttpError (401) if the request carries no claim that can be true. The
   * claim is checked against the body afterwards.
   */
  claim(request: IncomingMessage): VoterClaim;
}

export interface VoterClaim {
  readonly id: MemberId;
  /**
   * Throws HttpError (401) unless this voter sent exactly this body to this member. Returns what proves the answer.
   * Null: its connection is authenticated, and with it all that goes over it.
   */
  readonly verify: ((body: Buffer) => Signer) | null;
  /** Throws HttpError (401) if the request was accepted before. */
  accept(): void;
}

/** A request that may be answered. */
export interface Entry {
  /** The name of the token; null if none was needed. */
  readonly by: string | null;
  /** The address of the client. */
  readonly from: string;
  /** The voter that sent it; null if voters are not authenticated. */
  readonly claim: VoterClaim | null;
  /** Tells that it may not be a command, and returns the error; null if it may be one. */
  readonly notCommand: (() => HttpError) | null;
  /** Why it may not be a message; null if it may be one. */
  readonly notMessage: HttpError | null;
}

/** More wrong tokens from one address within a second are answered with 429. */
const FAILURES_PER_S = 10;
/** The addresses of one second that are counted separately. */
const MOST_ADDRESSES = 1000;
const IN_URL = ['token', 'access_token', 'api_token'];

const WORDS: Readonly<Record<Lack, string>> = {
  missing: 'it carries no token',
  unknown: 'its token is not known here',
  role: 'its token does not have the role',
  shut: 'no token has the role',
};

const PROOF_WORDS: Readonly<Record<string, string>> = {
  E_PROOF_NEEDED: 'it carries no proof of a voter',
  E_PROOF: 'its proof does not fit the secret of this member',
  E_PROOF_OLD: 'it was sent before',
  E_PROOF_AHEAD: 'its counter is too far ahead',
};

export interface AuthorizationOptions {
  readonly access: () => Access;
  readonly voters?: VoterCheck | null;
  /** Tells of a refusal; the log limits how often. */
  readonly refused: (refusal: Refusal, told: { readonly from: string; readonly reason: string }) => void;
}

export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #failures = new Map<string, number>();
  #second = 0;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  get access(): Access {
    return this.#options.access();
  }

  /** Throws HttpError (401, 403, 429) unless the request has one of what it needs. */
  enter(request: IncomingMessage, path: string, query: URLSearchParams, needs: readonly Need[]): Entry {
    const from = request.socket.remoteAddress ?? '';
    if (IN_URL.some((name) => query.has(name))) {
      this.#tell(request, path, 'it carries a token in its URL');
      throw new HttpError(400, 'E_TOKEN_IN_URL', TOKEN_IN_URL);
    }
    const claim = this.#claim(request, path, needs);
    const isPeer = needs.includes('peer') && !(claim instanceof HttpError);
    const base = { from, claim: claim instanceof HttpError ? null : claim, notMessage: null };
    const need = needs.find((each) => each !== 'peer');
    if (need === undefined) {
      if (claim instanceof HttpError) throw this.notProven(request, path, claim);
      return { ...base, by: null, notCommand: null };
    }
    const sent = tokenOf(request);
    const verdict = judge(this.access, need, sent);
    if (verdict.isGranted) {
      const notMessage = claim instanceof HttpError ? claim : null;
      return { ...base, by: verdict.token?.name ?? null, notCommand: null, notMessage };
    }
    const refuse = (): HttpError => this.#refusal(request, path, need, verdict.why);
    // Without a token it may be a message of a voter: the body says whether it is one.
    if (isPeer && sent === null) return { ...base, by: null, notCommand: refuse };
    throw refuse();
  }

  /** Tells that a request is not that of a voter. The first one of an honest voter names no boot, which is not told. */
  notProven(request: IncomingMessage, path: string, why: HttpError): HttpError {
    if (why.code !== 'E_PROOF_BOOT') this.#tell(request, path, PROOF_WORDS[why.code] ?? why.message);
    return hasBody(request) ? why.with({ connection: 'close' }) : why;
  }

  #claim(request: IncomingMessage, path: string, needs: readonly Need[]): VoterClaim | HttpError | null {
    const { voters = null } = this.#options;
    if (voters === null || !needs.includes('peer')) return null;
    try {
      return voters.claim(request);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      // What says that it is a voter's is nothing else.
      if (isVoters(request)) throw this.notProven(request, path, error);
      return error;
    }
  }

  #refusal(request: IncomingMessage, path: string, need: Need, why: Lack): HttpError {
    this.#tell(request, path, `${WORDS[why]}${why === 'role' || why === 'shut' ? ` ${need}` : ''}`);
    // The body of a refused request is not read, so its connection cannot be used again.
    const close: Record<string, string> = hasBody(request) ? { connection: 'close' } : {};
    if (why === 'shut') {
      const message = `this needs a token with the role ${need}, and this member has none: name one in its tokens file`;
      return new HttpError(403, 'E_NO_TOKENS', message, { headers: close });
    }
    if (why === 'role') {
      const message = `this token may not do that: expected one with the role ${need}`;
      return new HttpError(403, 'E_ROLE', message, { headers: close });
    }
    if (why === 'unknown' && this.#isTooMany(request)) {
      const message = 'too many wrong tokens from this address; wait a second';
      return new HttpError(429, 'E_TOO_MANY', message, { headers: { ...close, 'retry-after': '1' } });
    }
    const message =
      why === 'missing'
        ? `this needs a token with the role ${need}: expected the header authorization: Bearer TOKEN`
        : 'this token is not known here; it may be an old one';
    const detail = why === 'missing' ? '' : ', error="invalid_token"';
    const headers = { ...close, 'www-authenticate': `Bearer realm="caucus", scope="${need}"${detail}` };
    return new HttpError(401, why === 'missing' ? 'E_TOKEN_NEEDED' : 'E_TOKEN', message, { headers });
  }

  /**
   * A right token is accepted also while its address sends wrong ones: tokens are too long to be guessed at any rate,
   * and another user of the same machine must not be able to lock the operator out.
   */
  #isTooMany(request: IncomingMessage): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#failures.clear();
    this.#second = second;
    const address = request.socket.remoteAddress ?? '';
    const key = this.#failures.has(address) || this.#failures.size < MOST_ADDRESSES ? address : '';
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    return count > FAILURES_PER_S;
  }

  #tell(request: IncomingMessage, path: string, why: string): void {
    const from = request.socket.remoteAddress ?? '';
    const reason = `${request.method} ${path.slice(0, 100)} from ${from} is refused: ${why}`;
    this.#options.refused('unauthorized', { from, reason });
  }
}

const TOKEN_IN_URL =
  'a token does not belong into a URL, which ends up in logs: expected the header authorization: Bearer TOKEN. Replace this token';

/** The token of a request, or null. */
export function tokenOf({ headers }: IncomingMessage): string | null {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Does a voter prove that it sends the request? */
function isVoters({ headers }: IncomingMessage): boolean {
  return /^caucus /i.test(headers.authorization ?? '');
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
