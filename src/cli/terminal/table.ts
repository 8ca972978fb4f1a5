import { grouped } from '../../story/index.ts';
import type { Style } from './colours.ts';
import type { Page } from './page.ts';
import { wrap } from './wrap.ts';

const LABEL_COLUMNS = 20;

/** One entry of a table with two columns: a label, and a value that may need several lines. */
export function entry(
  { columns, paint }: Page,
  label: string,
  value: string,
  styles: readonly Style[] = [],
): string[] {
  const lines = wrap(value, columns - LABEL_COLUMNS - 2, 0);
  return lines.map((each, i) => `  ${(i === 0 ? label : '').padEnd(LABEL_COLUMNS)}${paint(each, ...styles)}`);
}

/** An entry with a value to copy, which stays on one line. */
export function copyable({ paint }: Page, label: string, value: string): string {
  return `  ${label.padEnd(LABEL_COLUMNS)}${paint(value, 'bold')}`;
}

/** The number of messages per run, by type. */
export function messageKinds(byType: Readonly<Record<string, number>>, runs: number): string {
  const most = Object.entries(byType).sort(([, a], [, b]) => b - a);
  const total = perRun(
    most.reduce((sum, [, count]) => sum + count, 0),
    runs,
  );
  if (most.length === 0) return total;
  return `${total}: ${most.map(([type, count]) => `${perRun(count, runs)} ${type}`).join(', ')}`;
}

export function perRun(total: number, runs: number): string {
  return grouped(Number((total / runs).toFixed(1)));
}
