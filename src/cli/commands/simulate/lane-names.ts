import type { MemberId } from '../../../core/index.ts';

/** Longer ids get a letter instead. */
const LONGEST = 2;

/** What members are called over their lanes, where their ids are too long for that: a, b, c and so on. */
export function shortNames(members: readonly MemberId[]): Map<MemberId, string> {
  const taken = new Set(members.map(String).filter((id) => id.length <= LONGEST));
  const names = new Map<MemberId, string>();
  let next = 0;
  for (const member of members) {
    const id = String(member);
    let name = id;
    while (id.length > LONGEST && (name === id || taken.has(name))) name = letters(next++);
    names.set(member, name);
  }
  return names;
}

/** a, b, … z, aa, ab, … */
function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
