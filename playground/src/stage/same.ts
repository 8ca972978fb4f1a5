/**
 * Remembers a list, and returns the earlier one as long as nothing in it has changed, so that components do not
 * update.
 */
export function keeper<T>(): (now: readonly T[]) => readonly T[] {
  let before: readonly T[] = [];
  return (now) => {
    const isSame = before.length === now.length && now.every((each, i) => each === before[i]);
    if (!isSame) before = now;
    return before;
  };
}
