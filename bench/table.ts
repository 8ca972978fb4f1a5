/** Prints rows as a table with aligned columns, numbers to the right. It is Markdown, and can be pasted into a document. */
export function printTable(title: string, rows: readonly Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => show(row[column]!)));
  const widths = columns.map((column, i) =>
    Math.max(3, column.length, ...cells.map((row) => row[i]!.length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  process.stdout.write(`\n${title}\n\n${[line(columns), rule, ...cells.map(line)].join('\n')}\n`);
}

/** NaN: it was not measured. */
export function show(value: string | number): string {
  if (typeof value === 'string') return value;
  if (Number.isNaN(value)) return '';
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(2);
}
