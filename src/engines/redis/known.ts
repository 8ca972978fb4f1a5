import type { Json } from '../../core/index.ts';
import type { View } from './view.ts';

/** A value as it was published, and by whose token. */
export interface Published {
  readonly json: string;
  readonly value: Json;
  readonly version: number;
  readonly token: bigint;
}

/**
 * What an engine has ever learned of one election. It never goes back: neither when a master has lost its data, nor when one
 * answers that was not there when the others agreed on something newer.
 */
export class Known {
  /** The greatest token. */
  token = 0n;
  published: Published | null = null;
  /** The greatest version that we may have given to a value, whether or not it came about. */
  #usedVersion = 0;

  learn({ fence, lease, published }: View): void {
    this.learnToken(fence);
    this.learnToken(lease?.token ?? 0n);
    if (published !== null) this.learnValue(published);
  }

  learnToken(token: bigint): void {
    this.token = greatest([this.token, token]);
  }

  /** Of two values that of the newer leader counts, and of one leader's the later. */
  learnValue(published: Published): void {
    const before = this.published;
    const isNewer =
      before === null ||
      published.token > before.token ||
      (published.token === before.token && published.version > before.version);
    if (isNewer) this.published = published;
  }

  /** It is not read here any more. A token that was given is still not given again. */
  forgetValue(): void {
    this.#usedVersion = Math.max(this.#usedVersion, this.published?.version ?? 0);
    this.published = null;
  }

  /** A version that no value has. */
  nextVersion(): number {
    this.#usedVersion = Math.max(this.#usedVersion, this.published?.version ?? 0) + 1;
    return this.#usedVersion;
  }
}

export function greatest(tokens: readonly bigint[]): bigint {
  return tokens.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
}
