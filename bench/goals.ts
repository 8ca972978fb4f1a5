/** What was aimed at, beside what was measured. */
import { printTable, show } from './table.ts';

export interface Goal {
  readonly what: string;
  /** How it follows from other figures of the run, or a figure of its own. */
  readonly goal: string;
  readonly limit: number;
  readonly measured: number;
  readonly unit: string;
  /** True: less than the limit, not as much. */
  readonly isStrict?: boolean;
}

export function printGoals(title: string, goals: readonly Goal[]): void {
  printTable(
    title,
    goals.map((each) => ({
      what: each.what,
      goal: each.goal,
      limit: withUnit(each.limit, each.unit),
      measured: withUnit(each.measured, each.unit),
      '': verdict(each),
    })),
  );
}

function verdict({ measured, limit, isStrict = false }: Goal): string {
  if (Number.isNaN(measured) || Number.isNaN(limit)) return 'not measured';
  return (isStrict ? measured < limit : measured <= limit) ? 'met' : '**MISSED**';
}

function withUnit(value: number, unit: string): string {
  if (Number.isNaN(value)) return '';
  return value === Number.POSITIVE_INFINITY ? 'never' : `${show(value)} ${unit}`.trim();
}
