import type { Delay } from '../core/index.ts';

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

/** To a microsecond, which is how finely the world keeps time. */
export function tidyMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

export function shortestMs(delay: Delay): number {
  return typeof delay === 'number' ? delay : delay[0];
}

export function longestMs(delay: Delay): number {
  return typeof delay === 'number' ? delay : delay[1];
}
