/**
 * The tokens of operators: each has a name, which the log tells, and roles. Of a token only its digest is kept, and
 * digests are compared in constant time, so neither memory nor the time of an answer tells one.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { BadInput, listOf, optional, record, type Shape, show } from '../core/index.ts';
import { includes, type Role } from './roles.ts';

/** A token as a program passes it to `join`. */
export interface TokenOption {
  /** For the log: the person or the program that has it. Two tokens may share a name, an old and a new one. */
  readonly name: string;
  readonly roles: readonly TokenRole[];
  /** The token, or in its place its digest. */
  readonly token?: string | undefined;
  /** SHA-256 of the token, in hexadecimal. */
  readonly sha256?: string | undefined;
}

/** Members authenticate each other by other means, so no token makes a peer. */
export type TokenRole = Exclude<Role, 'peer'>;

export interface NamedToken {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly digest: Buffer;
}

/** An old token and its successor are both valid while clients change over. */
const MOST_PER_NAME = 2;
const MOST = 100;
/** The characters that RFC 6750 allows. A shorter token could be guessed. */
const TOKEN = /^[A-Za-z0-9\-._~+/]{16,512}={0,2}$/;
const TOKEN_WORDS = 'a token: 16 to 512 of A-Z a-z 0-9 - . _ ~ + / and then at most two =';
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.@-]{0,63}$/u;
const HEX = /^[0-9a-f]{64}$/i;

export class Tokens {
  readonly #list: readonly NamedToken[];

  constructor(list: readonly NamedToken[] = []) {
    this.#list = list;
  }

  /** Is there a token with this role? */
  grants(role: Role): boolean {
    return this.#list.some(({ roles }) => includes(roles, role));
  }

  /** All digests are compared, whichever fits. */
  find(token: string): NamedToken | null {
    const digest = digestOf(token);
    let found: NamedToken | null = null;
    for (const each of this.#list) if (timingSafeEqual(each.digest, digest)) found = each;
    return found;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Could this be a token? */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** A new one, of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What was found is never shown: in a line whose words are in the wrong order, any of them may be the token. */
function hidden<T extends string>(pattern: RegExp, expected: string): Shape<T> {
  return {
    expected,
    read(value, path) {
      if (typeof value === 'string' && pattern.test(value)) return value as T;
      if (value === 'peer')
        throw new BadInput(path, expected, 'peer: members authenticate with a secret or certificates');
      const found = typeof value === 'string' ? `a text of ${value.length} characters` : `a ${typeof value}`;
      throw new BadInput(path, expected, found);
    },
  };
}

const option: Shape<TokenOption> = record<TokenOption>({
  name: hidden(NAME, 'a name of up to 64 letters, digits and _ . @ -'),
  roles: listOf(
    hidden<TokenRole>(/^(read|operate|lead|chaos)$/, 'the roles read, operate, lead or chaos'),
    4,
  ),
  token: optional(hidden(TOKEN, TOKEN_WORDS)),
  sha256: optional(hidden(HEX, 'the SHA-256 of a token: 64 hexadecimal digits')),
});

/** Tokens as a program passes them. No error shows one. */
export const tokenOptions: Shape<readonly NamedToken[]> = {
  expected: 'a list of { name, roles, token } or { name, roles, sha256 }',
  read(value, path) {
    const found = listOf(option, MOST)
      .read(value, path)
      .map(({ name, roles, token, sha256 }, i) => {
        const at = `${path}[${i}]`;
        if ((token === undefined) === (sha256 === undefined))
          throw new BadInput(at, 'either token or sha256', token === undefined ? 'neither' : 'both');
        if (roles.length === 0) throw new BadInput(`${at}.roles`, 'at least one role', 'none');
        return { name, roles, digest: token === undefined ? Buffer.from(sha256!, 'hex') : digestOf(token) };
      });
    refuseRepeated(found, path);
    return found;
  },
};

function refuseRepeated(tokens: readonly NamedToken[], path: string): void {
  tokens.forEach(({ name, digest }, i) => {
    const before = tokens.slice(0, i);
    if (before.some((other) => other.digest.equals(digest)))
      throw new BadInput(
        `${path}[${i}]`,
        'a token that no other entry has',
        `that of another entry (${show(name)})`,
      );
    if (before.filter((other) => other.name === name).length >= MOST_PER_NAME)
      throw new BadInput(
        `${path}[${i}].name`,
        'each name at most twice, for an old and a new token',
        show(name),
      );
  });
}

/**
 * The text of a file of tokens: one on each line, as `NAME ROLE[,ROLE…] TOKEN`; in place of the token, `sha256:` and its
 * digest may stand. Empty lines and lines that begin with # are ignored; in a variable a semicolon may end a line too.
 * Errors name the line, and show no token.
 */
export function parseTokens(text: string, source: string): readonly TokenOption[] {
  const found: TokenOption[] = [];
  text.split(/[\n;]/).forEach((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const at = `${source} line ${i + 1}`;
    const words = trimmed.split(/\s+/);
    const [name, roles, token] = words;
    if (token === undefined || words.length > 3)
      throw new BadInput(at, 'NAME ROLE[,ROLE] TOKEN', `${words.length} words`);
    const digest = /^sha256:(.*)$/i.exec(token)?.[1];
    const given = { name: name!, roles: roles!.split(',') as TokenRole[] };
    // From here on only the digest is kept.
    const [read] = told(at, () =>
      tokenOptions.read([{ ...given, ...(digest === undefined ? { token } : { sha256: digest }) }], ''),
    );
    found.push({ ...given, sha256: read!.digest.toString('hex') });
  });
  told(source, () => tokenOptions.read(found, ''));
  if (found.length === 0) throw new BadInput(source, 'at least one token, as NAME ROLE[,ROLE] TOKEN', 'none');
  return found;
}

function told<T>(at: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new BadInput(at, error.expected, error.found);
  }
}
