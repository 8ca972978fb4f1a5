import type { Action } from '../../../../src/simulation/index.ts';
import type { Branch } from '../../game/run/tree.ts';
import { seconds } from '../../game/words/seconds.ts';

/** Another branch, and when it separates from the one that is shown. */
export interface Fork {
  readonly id: number;
  readonly atMs: number;
}

/** Those that begin on a branch, and the one that it began on. */
export function forksOf(branches: readonly Branch[], current: number): Fork[] {
  const found: Fork[] = [];
  for (const { id, parent, forkMs } of branches) {
    if (parent === current) found.push({ id, atMs: forkMs });
    if (id === current && parent !== null) found.push({ id: parent, atMs: forkMs });
  }
  return found;
}

/** "Branch 2, from 5.00 s: crash 2" */
export function branchWords({ id, parent, forkMs, actions }: Branch): string {
  if (parent === null) return 'The first run';
  const first = actions[0];
  const what = first === undefined ? '' : `: ${actionWords(first)}${actions.length > 1 ? ' …' : ''}`;
  return `Branch ${id}, from ${seconds(forkMs)}${what}`;
}

function actionWords(action: Action): string {
  const about = ['member', 'from', 'to', 'flight', 'timer'] as const;
  const fields = action as unknown as Readonly<Record<string, unknown>>;
  const named = about.filter((name) => fields[name] !== undefined).map((name) => String(fields[name]));
  return [action.do, ...named].join(' ');
}
