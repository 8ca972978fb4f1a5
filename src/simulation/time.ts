/**
 * Virtual time is kept in whole microseconds, so that sums are exact and the same everywhere; people and
 * protocols speak milliseconds.
 */
export function toUs(ms: number): number {
  return Math.round(ms * 1000);
}

export function toMs(us: number): number {
  return us / 1000;
}
