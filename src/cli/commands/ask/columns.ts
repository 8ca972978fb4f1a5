import { oneLine } from '../../input/refusal.ts';

/**
 * Rows with aligned columns, two spaces apart. Control characters are removed, so that a cell stays within its line.
 */
export function columnLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((row) => row.map(oneLine));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}
