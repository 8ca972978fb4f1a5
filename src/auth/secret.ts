/**
 * The shared secret of a cluster: what every member knows and no other process does. It proves that a process belongs
 * to the cluster, not which member it is: a member can speak in the name of another.
 *
 * A secret is never used as a key itself. One key is derived from it for each purpose, so that what one of them
 * authenticates says nothing to the holder of another.
 */
import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { BadInput, show } from '../core/index.ts';

/** A shorter secret could be found by trying: who sees one proof can test any number of guesses without us. */
const SECRET = /^[\x21-\x7e]{16,512}$/;
const SECRET_WORDS = 'a secret of 16 to 512 printable ASCII characters without blanks';
/** An old one and its successor. */
const MOST = 2;
const KEY_BYTES = 32;
const FINGERPRINT_BYTES = 4;

export type Purpose = 'link proof' | 'link session' | 'rest';

/** One secret. Neither `console.log` nor JSON shows what it holds. */
export class Secret {
  /** Tells secrets apart for people: 8 hexadecimal digits that are the same at every member. */
  readonly fingerprint: string;
  readonly #keys: Readonly<Record<Purpose, Buffer>>;

  constructor(text: string) {
    this.#keys = {
      'link proof': derive(text, 'link proof', KEY_BYTES),
      'link session': derive(text, 'link session', KEY_BYTES),
      rest: derive(text, 'rest', KEY_BYTES),
    };
    this.fingerprint = derive(text, 'fingerprint', FINGERPRINT_BYTES).toString('hex');
  }

  key(purpose: Purpose): Buffer {
    return this.#keys[purpose];
  }

  equals(other: Secret): boolean {
    return timingSafeEqual(this.key('link proof'), other.key('link proof'));
  }
}

function derive(text: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', text, '', `caucus secret 1 ${purpose}`, bytes));
}

/**
 * One secret, or two: the first is used to prove, and each is accepted. Throws BadInput, which shows none. `path` is
 * the option or the file.
 */
export function readSecrets(given: unknown, path: string): readonly Secret[] {
  const texts = Array.isArray(given) ? given : [given];
  if (texts.length < 1 || texts.length > MOST)
    throw new BadInput(path, 'one secret, or two while one replaces the other', String(texts.length));
  const secrets = texts.map((text, i) => {
    if (typeof text === 'string' && SECRET.test(text)) return new Secret(text);
    const found = typeof text === 'string' ? `one of ${text.length} characters` : show(typeof text);
    throw new BadInput(texts.length === 1 ? path : `${path} (number ${i + 1})`, SECRET_WORDS, found);
  });
  if (secrets[1]?.equals(secrets[0]!)) throw new BadInput(path, 'two secrets that differ', 'the same twice');
  return secrets;
}

/** The secrets that are valid now. They can be replaced while members are connected. */
export class Secrets {
  #list: readonly Secret[];
  readonly #listeners = new Set<() => void>();

  constructor(list: readonly Secret[]) {
    this.#list = list;
  }

  /** The preferred one first. */
  get list(): readonly Secret[] {
    return this.#list;
  }

  has(secret: Secret): boolean {
    return this.#list.some((each) => each.equals(secret));
  }

  /** True if anything changed; then the listeners have been called. */
  replace(list: readonly Secret[]): boolean {
    const isSame = list.length === this.#list.length && list.every((each, i) => each.equals(this.#list[i]!));
    if (isSame) return false;
    this.#list = list;
    for (const listener of [...this.#listeners]) listener();
    return true;
  }

  /** Returns a function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
