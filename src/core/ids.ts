/**
 * A member's name: a whole number or a string. The elections compare ids, so they have a total order:
 * numbers by value, before all strings; strings by code unit (the same on every machine, unlike a locale's).
 */
export type MemberId = number | string;

export function compareIds(a: MemberId, b: MemberId): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'number' ? -1 : 1;
}

/** A sorted copy without repeats: how a protocol keeps a set of ids (a Set would vanish in JSON). */
export function idSet(ids: Iterable<MemberId>): MemberId[] {
  return [...new Set(ids)].sort(compareIds);
}

/** Adds to a sorted list of ids in place. False if it was there already, so that duplicates count once. */
export function addId(set: MemberId[], id: MemberId): boolean {
  let at = 0;
  while (at < set.length) {
    const order = compareIds(set[at]!, id);
    if (order === 0) return false;
    if (order > 0) break;
    at++;
  }
  set.splice(at, 0, id);
  return true;
}

/** Removes from a list of ids in place. False if it was not there. */
export function removeId(set: MemberId[], id: MemberId): boolean {
  const at = set.indexOf(id);
  if (at < 0) return false;
  set.splice(at, 1);
  return true;
}

/** Which end of the order of ids an election prefers. */
export type Preference = 'highest' | 'lowest';

/** Is `a` preferred to `b`? Never both ways, never for equals. */
export function outranks(a: MemberId, b: MemberId, prefer: Preference): boolean {
  const order = compareIds(a, b);
  return prefer === 'highest' ? order > 0 : order < 0;
}

export function preferredId(ids: readonly MemberId[], prefer: Preference): MemberId | null {
  let best: MemberId | null = null;
  for (const id of ids) if (best === null || outranks(id, best, prefer)) best = id;
  return best;
}

/**
 * An id as written in a URL, a flag or the environment: digits alone are a number, so that elections order them by
 * value.
 */
export function parseId(text: string): MemberId {
  const isWhole = /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
  return isWhole ? Number(text) : text;
}
