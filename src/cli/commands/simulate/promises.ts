import type { Pledge } from '../../../core/index.ts';
import { isInForce } from '../../../properties/index.ts';
import type { Result, Violation, World } from '../../../simulation/index.ts';
import { counted, grouped, inOrder, nameFallen, nameProperty } from '../../../story/index.ts';
import type { Page } from '../../terminal/page.ts';
import { entry } from '../../terminal/table.ts';

const MOST_BROKEN = 5;

/** Which promises of a protocol held in one run, and what else did not hold. */
export function promises({ protocol, broken: fallen }: World, { violations }: Result, page: Page): string[] {
  const pledges = inOrder(protocol.pledges);
  const broken = violations.filter((violation) => violation.claimed);
  const isBroken = ({ property }: Pledge): boolean => broken.some((each) => each.property === property);
  const isVoid = (pledge: Pledge): boolean => !isInForce(pledge, fallen);
  const kept = pledges.filter((pledge) => !isBroken(pledge) && !isVoid(pledge));
  const voids = pledges.filter((pledge) => !isBroken(pledge) && isVoid(pledge));

  const lines: string[] = [];
  let label = 'promises';
  const tell = (words: string, ...styles: Parameters<Page['paint']>[1][]): void => {
    lines.push(...entry(page, label, words, styles));
    label = '';
  };
  if (pledges.length === 0) tell('none: best effort');
  if (broken.length > 0) tell(`broken ${counted(broken.length, 'time')}`, 'red', 'bold');
  if (kept.length > 0) tell(`${names(kept)} kept`, 'green');
  for (const [why, same] of byReason(voids, fallen)) tell(`void (${why}): ${names(same)}`, 'yellow');

  for (const { property, atMs, detail } of broken.slice(0, MOST_BROKEN)) {
    const words = `${property} at ${grouped(Math.round(atMs))} ms, ${nameProperty(property)}: ${detail}`;
    lines.push(...entry(page, 'BROKEN', words, ['red']));
  }
  const others = inOrder(violations.filter((violation) => !violation.claimed));
  for (const property of new Set(others.map((violation) => violation.property))) {
    const isPledged = pledges.some((pledge) => pledge.property === property);
    const words = `${property} (${nameProperty(property)}) did not hold, ${times(others, property)}`;
    lines.push(...entry(page, isPledged ? 'void' : 'not promised', words));
  }
  return lines;
}

function names(pledges: readonly Pledge[]): string {
  return pledges.map((pledge) => pledge.property).join(' ');
}

function byReason(voids: readonly Pledge[], fallen: World['broken']): Map<string, Pledge[]> {
  const reasons = new Map<string, Pledge[]>();
  for (const pledge of voids) {
    const why = nameFallen(pledge.assuming.filter((each) => fallen.has(each)));
    reasons.set(why, [...(reasons.get(why) ?? []), pledge]);
  }
  return reasons;
}

function times(violations: readonly Violation[], property: string): string {
  const same = violations.filter((violation) => violation.property === property);
  if (same.length > 1) return counted(same.length, 'time');
  return `at ${grouped(Math.round(same[0]!.atMs))} ms`;
}
