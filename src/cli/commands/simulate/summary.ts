import type { MemberId } from '../../../core/index.ts';
import type { FinalView, Result, World } from '../../../simulation/index.ts';
import { duration, grouped, nameMembers } from '../../../story/index.ts';
import type { Paint } from '../../terminal/colours.ts';
import type { Page } from '../../terminal/page.ts';
import { copyable, entry, messageKinds } from '../../terminal/table.ts';
import { promises } from './promises.ts';

/** The result of one run, for people. `repeat` is the command that repeats the run. */
export function summary(world: World, result: Result, repeat: string, page: Page): string[] {
  const { changes, darkMs, doubleMs, messages, hash } = result;
  const { paint } = page;
  const double = doubleMs === 0 ? 'never' : duration(doubleMs);
  return [
    verdict(world, result, paint),
    '',
    ...entry(page, 'changes of leader', grouped(changes)),
    ...entry(page, 'without a leader', duration(darkMs)),
    ...entry(page, 'with two or more', double, doubleMs === 0 ? [] : ['yellow']),
    ...entry(page, 'messages', messageKinds(messages.byType, 1)),
    ...promises(world, result, page),
    ...entry(page, 'hash', hash),
    copyable(page, 'the same again', repeat),
  ];
}

function verdict(world: World, { final }: Result, paint: Paint): string {
  const ids = world.processes.map((each) => each.name);
  const down = ids.filter((id) => final.views[id]!.role === 'down');
  const gone =
    down.length === 0 ? '' : `; ${nameMembers(down, ids)} ${down.length === 1 ? 'is' : 'are'} down`;
  if (final.agreed) {
    const others = ids.length - down.length - 1;
    const agree = ['', ', and the other agrees'][others] ?? `, and the ${others} others agree`;
    return paint(`At the end ${final.leader} leads${agree}${gone}.`, 'green', 'bold');
  }
  const camps = new Map<string, MemberId[]>();
  for (const id of ids) {
    const belief = beliefOf(final.views[id]!);
    if (belief !== null) camps.set(belief, [...(camps.get(belief) ?? []), id]);
  }
  const words = [...camps].map(([belief, members]) => `${nameMembers(members, ids)} ${belief}`);
  const sides = words.length === 0 ? 'no member runs' : words.join(', ');
  return paint(`No agreement at the end: ${sides}${gone}.`, 'yellow', 'bold');
}

/** In words that fit one member and several. */
function beliefOf({ role, leader }: FinalView): string | null {
  if (role === 'down') return null;
  if (role === 'leader') return 'in the lead';
  return leader === null ? 'without a leader' : `behind ${leader}`;
}
