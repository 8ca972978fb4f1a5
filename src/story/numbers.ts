/** Digits in groups of three, with a comma: the same in every locale, so outputs can be compared. */
export function grouped(value: number | string): string {
  const [whole, fraction] = String(value).split('.');
  const text = whole!.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? text : `${text}.${fraction}`;
}

/** Milliseconds in the unit that people would use: 850 ms, 2.4 s, 20 s, 3 min, 1.5 h. */
export function duration(ms: number): string {
  if (ms < 1) return `${trimmed(ms, 2)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${trimmed(ms / 1000, 1)} s`;
  if (ms < 7_200_000) return `${trimmed(ms / 60_000, 1)} min`;
  return `${trimmed(ms / 3_600_000, 1)} h`;
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** A count and its noun: "1 run", "2 runs", "1,000 runs". */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
