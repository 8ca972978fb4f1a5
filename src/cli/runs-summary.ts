import type { Percentiles, RunsResult } from '../simulation/index.ts';
import { counted, duration, grouped } from './numbers.ts';
import type { Page } from './page.ts';
import { nameProperty } from './property-names.ts';
import { copyable, entry, messageKinds, perRun } from './table.ts';

/** What many runs came to, for people. `repeat` gives the command that shows one of them. */
export function runsSummary(result: RunsResult, repeat: (seed: number) => string, page: Page): string[] {
  const { protocol, runs, seeds, untilMs, agreed, broken, notAgreed, messages, doubleMs } = result;
  const all = agreed === runs;
  const kept = broken.count === 0;
  const failing = broken.seeds[0] ?? notAgreed.seeds[0];
  const title = `${protocol}: ${counted(runs, 'run')} of ${duration(untilMs)}, seeds ${seeds.from} to ${seeds.to}`;
  return [
    page.paint(title, 'bold'),
    '',
    ...entry(page, 'ended agreed', all ? `all ${grouped(runs)}` : `${grouped(agreed)} of ${grouped(runs)}`, [
      all ? 'green' : 'yellow',
    ]),
    ...entry(page, 'first leader', times(result.firstLeaderMs)),
    ...entry(page, 'failover', times(result.failoverMs)),
    ...entry(page, 'changes of leader', `${perRun(result.changes, runs)} a run`),
    ...entry(page, 'without a leader', `${duration(result.darkMs / runs)} a run`),
    ...entry(page, 'with two or more', doubleMs === 0 ? 'never' : `${duration(doubleMs)} in all`),
    ...entry(page, 'messages a run', messageKinds(messages.byType, runs)),
    ...entry(page, 'promises', kept ? 'none broken' : `broken in ${counted(broken.count, 'run')}`, [
      kept ? 'green' : 'red',
    ]),
    ...violations(result, page),
    ...(kept ? [] : entry(page, 'broke a promise', seedList(broken), ['red'])),
    ...(all ? [] : entry(page, 'not agreed', seedList(notAgreed), ['yellow'])),
    ...entry(page, 'hash', result.hash),
    ...(failing === undefined ? [] : [copyable(page, 'look at one', repeat(failing))]),
  ];
}

function violations(result: RunsResult, page: Page): string[] {
  return result.violations.flatMap(({ property, claimed, runs, firstSeed }) => {
    const name = `${property} (${nameProperty(property)})`;
    const words = `${name} did not hold in ${counted(runs, 'run')}, first with seed ${firstSeed}`;
    return entry(page, claimed ? 'BROKEN' : 'not promised', words, claimed ? ['red'] : []);
  });
}

function times({ count, p50, p90, p99, max }: Percentiles): string {
  if (count === 0) return 'never';
  const of = (ms: number | null): string => grouped(Math.round(ms!));
  return `p50 ${of(p50)} · p90 ${of(p90)} · p99 ${of(p99)} · max ${of(max)} ms (of ${grouped(count)})`;
}

function seedList({ seeds, count }: RunsResult['broken']): string {
  return `${counted(count, 'run')}, seeds ${seeds.join(' ')}${count > seeds.length ? ' …' : ''}`;
}
