import type { RunsResult } from '../../../simulation/index.ts';
import { counted, duration, grouped, nameProperty } from '../../../story/index.ts';
import type { Page } from '../../terminal/page.ts';
import { copyable, entry, messageKinds, perRun } from '../../terminal/table.ts';
import { agreedWords, times, violations } from './runs-summary.ts';
import type { Shrinking } from './shrinking.ts';
import type { Failing } from './swarm.ts';

/** The result of a swarm, for people. */
export function swarmSummary(
  result: RunsResult,
  failed: number,
  failing: readonly Failing[],
  page: Page,
): string[] {
  const { protocol, runs, seeds, agreed, messages, doubleMs } = result;
  const title = `${protocol}: a swarm of ${counted(runs, 'run')}, seeds ${seeds.from} to ${seeds.to}`;
  const double = doubleMs === 0 ? 'never' : `${duration(doubleMs / runs)} a run`;
  return [
    page.paint(title, 'bold'),
    '',
    ...entry(page, 'settled', agreedWords(result), [agreed === runs ? 'green' : 'yellow']),
    ...entry(page, 'first leader', times(result.firstLeaderMs)),
    ...entry(page, 'failover', times(result.failoverMs)),
    ...entry(page, 'changes of leader', `${perRun(result.changes, runs)} a run`),
    ...entry(page, 'without a leader', `${duration(result.darkMs / runs)} a run`),
    ...entry(page, 'with two or more', double),
    ...entry(page, 'messages a run', messageKinds(messages.byType, runs)),
    ...violations(result, page),
    ...entry(page, 'failed', failed === 0 ? 'none' : grouped(failed), [failed === 0 ? 'green' : 'red']),
    ...failing.flatMap((each) => entry(page, `  seed ${each.seed}`, failureWords(each), ['red'])),
    ...(failed > failing.length ? entry(page, '', `… and ${grouped(failed - failing.length)} more`) : []),
    ...entry(page, 'hash', result.hash),
    ...(failing[0] === undefined ? [] : [copyable(page, 'look at the first', failing[0].repro)]),
  ];
}

/** What is wrong with a single run. */
export function failureLines(failing: Failing, page: Page): string[] {
  return [
    ...entry(page, 'FAILED', failureWords(failing), ['red', 'bold']),
    copyable(page, 'make it smaller', `${failing.repro} --shrink FILE`),
  ];
}

function failureWords({ property, detail }: Failing): string {
  return `${property} (${nameProperty(property)}): ${detail}`;
}

export function shrunkLines(shrunk: Shrinking | null, page: Page): string[] {
  if (shrunk === null || shrunk.replay === null) return [];
  const { scenario, property, tries, file, replay } = shrunk;
  const { events } = scenario as { events: readonly unknown[] };
  const words = `${file}: ${property} with ${counted(events.length, 'event')}, found in ${counted(tries, 'run')}`;
  return [...entry(page, 'shrunk to', words), copyable(page, 'replay it', replay)];
}
