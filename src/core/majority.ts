/** The smallest number of `n` voters such that any two such groups share a voter. */
export function majority(n: number): number {
  return Math.floor(n / 2) + 1;
}
