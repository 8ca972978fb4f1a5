/** "2.41 s": how times are told on the page. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
