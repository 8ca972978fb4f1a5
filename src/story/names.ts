import { compareIds, type MemberId } from '../core/index.ts';

/** Members by name, shortened where they are consecutive: "everybody", "2–5", "2 and 4". */
export function nameMembers(ids: readonly MemberId[], all: readonly MemberId[]): string {
  const sorted = [...new Set(ids)].sort(compareIds);
  if (sorted.length === all.length && sorted.length > 2) return 'everybody';
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    let end = i;
    while (isNext(sorted[end], sorted[end + 1])) end++;
    const isRange = end - i >= 2;
    parts.push(isRange ? `${sorted[i]}–${sorted[end]}` : String(sorted[i]));
    if (isRange) i = end;
  }
  return listed(parts);
}

function isNext(a: MemberId | undefined, b: MemberId | undefined): boolean {
  return typeof a === 'number' && typeof b === 'number' && b === a + 1;
}

export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? 'no member';
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
