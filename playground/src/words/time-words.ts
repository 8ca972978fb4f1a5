import { isShort, seconds } from '../app/seconds.ts';

/** "12 s", "2.4 s": where nothing depends on the hundredths. */
export function about(ms: number): string {
  return isShort(ms) ? seconds(ms) : `${Number((ms / 1000).toFixed(1))} s`;
}

/** "2.41 s of 12 s" */
export function place(ms: number, headMs: number): string {
  return `${seconds(ms)} of ${about(headMs)}`;
}
