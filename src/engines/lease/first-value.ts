import { type Json, withToken } from '../../core/index.ts';

/** A value that is published with the grant, in one act, if none was published since `after`. */
export interface FirstValue {
  /** The version from which it follows. */
  readonly after: number;
  /** With `OWN_TOKEN` in place of the token of the grant. */
  readonly value: Json;
}

/** What is published once this token is granted, where `published` was the last before. */
export function openedBy(
  published: { readonly value: Json; readonly version: number },
  token: bigint,
  first: FirstValue | null | undefined,
): { readonly value: Json; readonly version: number } {
  if (!first || first.after !== published.version) return published;
  return { value: JSON.parse(withToken(JSON.stringify(first.value), token)), version: first.after + 1 };
}
