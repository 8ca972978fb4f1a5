/** By how much the largest count exceeds the least one. */
export function spreadOf(counts: readonly number[]): number {
  return Math.max(...counts) - Math.min(...counts);
}

/** How many elections have to move at least until all counts are equal within one. */
export function leastMoves(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [each, over] = [Math.floor(total / counts.length), total % counts.length];
  return [...counts]
    .sort((a, b) => b - a)
    .reduce((sum, count, i) => sum + Math.max(0, count - each - (i < over ? 1 : 0)), 0);
}
