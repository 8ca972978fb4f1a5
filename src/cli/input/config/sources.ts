/** A value, and where it was given. */
export interface Given {
  readonly value: unknown;
  /** For people: "--id", "VOTER_ID", "caucus.json line 3". */
  readonly from: string;
  /** In a file: how the field is spelled there, and the place of the part with this path. */
  readonly name?: string;
  readonly at?: (path: string) => string;
}

/** All values of one source, by field; `timing.heartbeatMs` and `options.preset` are separate fields. */
export type Source = ReadonlyMap<string, Given>;

/** The first source that has a field decides. */
export function firstOf(sources: readonly Source[]): Map<string, Given> {
  const merged = new Map<string, Given>();
  for (const source of sources) {
    for (const [field, given] of source) if (!merged.has(field)) merged.set(field, given);
  }
  return merged;
}
