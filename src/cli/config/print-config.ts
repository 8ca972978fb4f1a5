import type { MemberConfig } from './member-config.ts';

/** What was understood, and from where: one line a field. */
export function configLines({ origins }: MemberConfig): string[] {
  const rows = origins.map(({ field, value, from }) => [field, JSON.stringify(value), from] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(
    ([field, value, from]) => `${field.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${from}`,
  );
}

export function configJson({ origins }: MemberConfig): object {
  return Object.fromEntries(origins.map(({ field, value, from }) => [field, { value, from }]));
}
