import type { MemberId } from '../../core/index.ts';

/**
 * While members are treated as interchangeable they have these numbers, which differ from everything else in a state:
 * so an id can be distinguished from a term, and is found inside texts too (a timer's name, a key).
 */
const FIRST_ALIAS = 1_000_001;
const ALIASES = /100000[1-9]/g;

/** How many members can have an alias. */
export const MOST_ALIASES = 9;

export function aliasOf(index: number): number {
  return FIRST_ALIAS + index;
}

/** Replaces aliases by other ids, everywhere in plain data. `names[i]` replaces alias i. */
export function rename<T>(value: T, names: readonly MemberId[]): T {
  return renameAny(value, names) as T;
}

function renameAny(value: unknown, names: readonly MemberId[]): unknown {
  if (typeof value === 'number') return names[value - FIRST_ALIAS] ?? value;
  if (typeof value === 'string') return renameText(value, names);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const renamed = value.map((each) => renameAny(each, names));
    return isSortedSet(value) ? renamed.sort((a, b) => compareScalars(keyOf(a), keyOf(b))) : renamed;
  }
  const renamed: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) renamed[renameText(key, names)] = renameAny(each, names);
  return renamed;
}

export function renameText(text: string, names: readonly MemberId[]): string {
  return text.includes('100000')
    ? text.replace(ALIASES, (alias) => String(names[Number(alias) - FIRST_ALIAS] ?? alias))
    : text;
}

/**
 * Sets are kept as sorted lists, of ids or of records with an id, so a sorted list is sorted again after renaming. (A
 * list that was sorted by accident is detected: see Symmetry.)
 */
function isSortedSet(list: readonly unknown[]): boolean {
  for (let i = 0; i < list.length; i++) {
    if (typeof keyOf(list[i]) === 'object') return false;
    if (i > 0 && compareScalars(keyOf(list[i - 1]), keyOf(list[i])) >= 0) return false;
  }
  return true;
}

/** The sort key of an item of a set. */
function keyOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'id' in item ? item.id : item;
}

function compareScalars(a: unknown, b: unknown): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
