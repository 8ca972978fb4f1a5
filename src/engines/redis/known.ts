import type { Json } from '../../core/index.ts';
import type { View } from './view.ts';

/** A published value, and the token of its leader. */
export interface Published {
  readonly json: string;
  readonly value: Json;
  readonly version: number;
  readonly token: bigint;
}

/**
 * Everything that an engine has ever learned of one election. It never goes back: neither when a master has lost its
 * data, nor when a master answers that missed something newer.
 */
export class Known {
  /** The greatest token seen. */
  token = 0n;
  published: Published | null = null;
  /** The greatest version that we may have given to a value, published or not. */
  #usedVersion = 0;

  learn({ fence, lease, published }: View): void {
    this.learnToken(fence);
    this.learnToken(lease?.token ?? 0n);
    if (published !== null) this.learnValue(published);
  }

  learnToken(token: bigint): void {
    this.token = greatest([this.token, token]);
  }

  /** Of two values the one of the newer leader counts, and of one leader's values the later one. */
  learnValue(published: Published): void {
    const before = this.published;
    const isNewer =
      before === null ||
      published.token > before.token ||
      (published.token === before.token && published.version > before.version);
    if (isNewer) this.published = published;
  }

  /** The value is not read here any more. A version that was given is still not given again. */
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
