import type { MemberId } from '../../../../src/core/index.ts';
import { type Action, nameOfTwin } from '../../../../src/simulation/index.ts';

/**
 * What is done by hand to a second process, as a scenario can say it: a scenario names the member, and means its second process
 * only where that process ends. All else is done to the member.
 */
export function asScenario(action: Action, members: readonly MemberId[]): Action {
  const firstOf = (id: unknown): MemberId | undefined => members.find((each) => nameOfTwin(each) === id);
  const named = ['member', 'from', 'to', 'peer'].flatMap((field) => {
    const first = firstOf((action as unknown as Record<string, unknown>)[field]);
    return first === undefined ? [] : [[field, first] as const];
  });
  const meant = { ...action, ...Object.fromEntries(named) } as Action;
  if (meant.do === 'crash' && named.length > 0) return { ...meant, twin: true };
  if (meant.do !== 'partition') return meant;
  const seen = new Set<MemberId>();
  const groups = meant.groups.map((group) =>
    group.map((id) => firstOf(id) ?? id).filter((id) => !seen.has(id) && seen.add(id)),
  );
  return { ...meant, groups };
}
