import type { Json } from '../core/index.ts';

/** So many different ones are known; then all are forgotten. */
const MOST = 1000;
/** Longer ones differ, and reading them takes longer. */
const LONGEST = 1000;

/**
 * Parts that are equal in many elections, such as the names of disks and the lists of members: the first one that was
 * seen takes the place of the later ones. Nothing may change them.
 */
export class SameParts {
  readonly #known = new Map<string, Json>();

  /** This part, or an equal one that was seen before. */
  of<T extends Json>(part: T): T {
    const isText = typeof part === 'string';
    if (!isText && (typeof part !== 'object' || part === null)) return part;
    const key = isText ? part : JSON.stringify(part);
    if (key.length > LONGEST) return part;
    // No text is equal to the JSON of a part that is no text, since that begins with a bracket.
    if (isText && /^[[{]/.test(key)) return part;
    const known = this.#known.get(key);
    if (known !== undefined) return known as T;
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(key, part);
    return part;
  }

  /** A record with the parts of earlier ones; `length` is that of its text. */
  in(record: Json, length: number): Json {
    if (length > 2 * LONGEST || typeof record !== 'object' || record === null || Array.isArray(record))
      return record;
    const shared: Record<string, Json> = { ...(record as Readonly<Record<string, Json>>) };
    for (const [field, part] of Object.entries(shared)) shared[field] = this.of(part);
    return shared;
  }
}
