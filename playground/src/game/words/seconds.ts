/** Shorter times are shown in milliseconds. */
const SHORT_MS = 100;

/** "2.41 s", "8.1 ms": how times are told on the page. */
export function seconds(ms: number): string {
  return isShort(ms) ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Is it too short for hundredths of a second? */
export function isShort(ms: number): boolean {
  return ms >= 0.05 && ms < SHORT_MS;
}

/** "12 s", "2.4 s": where hundredths do not matter. */
export function about(ms: number): string {
  return isShort(ms) ? seconds(ms) : `${Number((ms / 1000).toFixed(1))} s`;
}

/** "2.41 s of 12 s" */
export function place(ms: number, headMs: number): string {
  return `${seconds(ms)} of ${about(headMs)}`;
}
