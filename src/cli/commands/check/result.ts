import type { Json } from '../../../core/index.ts';
import {
  type Exploration,
  type Exploring,
  replayOf,
  retell,
  type Told,
  traceOf,
  type Violation,
} from '../../../exploration/index.ts';
import { catalogue } from '../../../protocols/index.ts';
import { readScenario, simulate } from '../../../simulation/index.ts';
import { narrate } from '../../../story/index.ts';
import type { CheckJob } from './flags.ts';

/** A broken property, as it is printed. */
export interface ToldViolation {
  readonly property: string;
  readonly claimed: boolean;
  readonly detail: string;
  readonly shortest: boolean;
  readonly trace: readonly string[];
  /** A scenario for `caucus simulate` that shows the same. Null if the history cannot be expressed as one. */
  readonly scenario: Readonly<Record<string, Json>> | null;
  /** Whether simulating the scenario broke the same property. */
  readonly replays: boolean;
}

/** The object that `caucus check --json` prints. */
export interface CheckResult extends Omit<Exploration, 'violations' | 'eventually'> {
  readonly eventually: Omit<Exploration['eventually'], 'failed'> & {
    readonly failed: readonly string[] | null;
  };
  readonly violations: readonly ToldViolation[];
  readonly seconds: number;
  readonly statesPerSecond: number;
}

/** Random draws of a simulated member cannot be set, so seeds are tried until the draws fit. */
const MOST_SEEDS = 500;

/** `records`: whether the histories show what is saved. */
export function resultOf(
  job: CheckJob,
  exploring: Exploring,
  found: Exploration,
  seconds: number,
  records = true,
): CheckResult {
  const statesPerSecond = Math.round(found.states / Math.max(seconds, 1e-3));
  const violations = [...found.violations]
    .sort(byGravity)
    .map((violation) => tell(job, exploring, violation, records));
  const { failed, ...counts } = found.eventually;
  const eventually = {
    ...counts,
    failed: failed === null ? null : traceLines(retell(exploring, failed), records),
  };
  return { ...found, violations, eventually, seconds: Math.round(seconds * 1000) / 1000, statesPerSecond };
}

function tell(
  { base }: CheckJob,
  exploring: Exploring,
  violation: Violation,
  records: boolean,
): ToldViolation {
  const { property, claimed, detail, shortest, acts } = violation;
  const told = retell(exploring, acts);
  const replay = replayOf(told);
  const scenario = replay === null ? null : { ...base, ...(replay as unknown as Record<string, Json>) };
  const draws = told.some(({ reaction }) => reaction !== null && reaction.draws.length > 0);
  const seed = scenario === null ? null : findSeed(scenario, violation, draws ? MOST_SEEDS : 1);
  return {
    property,
    claimed,
    detail,
    shortest,
    trace: traceLines(told, records),
    scenario: scenario === null ? null : { ...scenario, seed: seed ?? 1 },
    replays: seed !== null,
  };
}

/** Broken promises first, then by name. */
function byGravity(a: Violation, b: Violation): number {
  return Number(b.claimed) - Number(a.claimed) || numberOf(a.property) - numberOf(b.property);
}

function numberOf(property: string): number {
  return (property.startsWith('R') ? 100 : 0) + Number(property.slice(1));
}

function traceLines(told: readonly Told[], records: boolean): string[] {
  return traceOf(told).flatMap((line) => narrate(line, records) ?? []);
}

/** The first seed with which the simulated cluster breaks the same property. */
function findSeed(given: object, { property, claimed }: Violation, seeds: number): number | null {
  const scenario = readScenario(given, catalogue);
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = simulate(scenario, seed);
    if (violations.some((each) => each.property === property && each.claimed === claimed)) return seed;
  }
  return null;
}
