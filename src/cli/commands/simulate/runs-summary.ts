import type { Pledge } from '../../../core/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import type { Percentiles, RunsResult } from '../../../simulation/index.ts';
import {
  counted,
  duration,
  grouped,
  inOrder,
  nameProperty,
  pledgesOf,
  pledgesWith,
} from '../../../story/index.ts';
import type { Page } from '../../terminal/page.ts';
import { copyable, entry, messageKinds, perRun } from '../../terminal/table.ts';

/** The result of many runs, for people. `repeat` gives the command that shows one of them. */
export function runsSummary(result: RunsResult, repeat: (seed: number) => string, page: Page): string[] {
  const { protocol, runs, seeds, untilMs, agreed, broken, notAgreed, messages, doubleMs } = result;
  const all = agreed === runs;
  const kept = broken.count === 0;
  const range = runs === 1 ? `seed ${seeds.from}` : `seeds ${seeds.from} to ${seeds.to}`;
  const title = `${protocol}: ${counted(runs, 'run')} of ${duration(untilMs)}, ${range}`;
  return [
    page.paint(title, 'bold'),
    '',
    ...entry(page, 'ended agreed', agreedWords(result), [all ? 'green' : 'yellow']),
    ...entry(page, 'first leader', times(result.firstLeaderMs)),
    ...entry(page, 'failover', times(result.failoverMs)),
    ...entry(page, 'changes of leader', `${perRun(result.changes, runs)} a run`),
    ...entry(page, 'without a leader', `${duration(result.darkMs / runs)} a run`),
    ...entry(page, 'with two or more', doubleMs === 0 ? 'never' : `${duration(doubleMs / runs)} a run`),
    ...entry(page, 'messages a run', messageKinds(messages.byType, runs)),
    ...entry(page, 'promises', promiseWords(result), [kept ? 'green' : 'red']),
    ...violations(result, page),
    ...(kept ? [] : entry(page, 'broke a promise', seedList(broken), ['red'])),
    ...(all ? [] : entry(page, 'not agreed', seedList(notAgreed), ['yellow'])),
    ...entry(page, 'hash', result.hash),
    ...lookAtOne(result, repeat, page),
  ];
}

export function agreedWords({ agreed, runs }: RunsResult): string {
  if (runs === 1) return agreed === 1 ? 'yes' : 'no';
  return agreed === runs ? `all ${grouped(runs)}` : `${grouped(agreed)} of ${grouped(runs)}`;
}

function promiseWords({ protocol, broken, violations: found }: RunsResult): string {
  if (broken.count > 0) return `broken in ${counted(broken.count, 'run')}`;
  if (settingsOf(protocol).every((pledges) => pledges.length === 0)) return 'none: best effort';
  const voids = inOrder(found.filter(({ property }) => standing(protocol, property) === 'void'));
  const names = voids.map(({ property }) => property).join(' ');
  return voids.length === 0 ? 'none broken' : `none broken (${names} void: something assumed was not so)`;
}

/** A run that broke a promise, else one without agreement, else one that broke a property that was not promised. */
function lookAtOne(result: RunsResult, repeat: (seed: number) => string, page: Page): string[] {
  const { broken, notAgreed } = result;
  const failing = broken.seeds[0] ?? notAgreed.seeds[0];
  if (failing !== undefined) return [copyable(page, 'look at one', repeat(failing))];
  const [other] = inOrder(result.violations);
  if (other === undefined) return [];
  const words = `${other.property} did not hold there (${standing(result.protocol, other.property)}):`;
  return [...entry(page, 'look at one', words), copyable(page, '', repeat(other.firstSeed))];
}

export function violations({ protocol, violations: found }: RunsResult, page: Page): string[] {
  const claimed = inOrder(found.filter((each) => each.claimed));
  const others = inOrder(found.filter((each) => !each.claimed));
  return [...claimed, ...others].flatMap(({ property, claimed: isClaimed, runs, firstSeed }) => {
    const name = `${property} (${nameProperty(property)})`;
    const kind = isClaimed ? 'BROKEN' : standing(protocol, property);
    const why = kind === 'void' ? ' (void: something it assumes was not so there)' : '';
    const words = `${name} did not hold in ${counted(runs, 'run')}, first with seed ${firstSeed}${why}`;
    return entry(page, kind, words, isClaimed ? ['red'] : []);
  });
}

/** Why a property that did not hold is no broken promise. The totals do not record the options of the runs. */
function standing(protocol: string, property: string): string {
  const settings = settingsOf(protocol);
  const promising = settings.filter((pledges) => pledges.some((pledge) => pledge.property === property));
  if (promising.length === 0) return 'not promised';
  return promising.length === settings.length ? 'void' : 'not in force';
}

function settingsOf(protocol: string): (readonly Pledge[])[] {
  const definition = catalogue[protocol]!;
  return [pledgesOf(definition), ...pledgesWith(definition).values()];
}

export function times({ count, p50, p90, p99, max }: Percentiles): string {
  if (count === 0) return 'never';
  if (count === 1) return duration(max!);
  const of = (ms: number | null): string => duration(ms!);
  return `p50 ${of(p50)} · p90 ${of(p90)} · p99 ${of(p99)} · max ${of(max)} (of ${grouped(count)})`;
}

function seedList({ seeds, count }: RunsResult['broken']): string {
  const named = `${count === 1 ? 'seed' : 'seeds'} ${seeds.join(' ')}`;
  return `${counted(count, 'run')}, ${named}${count > seeds.length ? ' …' : ''}`;
}
