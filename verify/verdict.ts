import { type Json, readSettings } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { type Result, readScenario, type Scenario, simulate } from '../src/simulation/index.ts';
import { subjects } from './subjects.ts';

/** What a scenario comes to from the seed it names. */
export interface Verdict {
  readonly result: Result;
  /** Every property that did not hold. */
  readonly broken: ReadonlySet<string>;
}

export function verdictOn(given: Json): Verdict {
  const scenario = readScenario(given, catalogue);
  const result = simulate(scenario, scenario.seed ?? 1);
  const broken = new Set(result.violations.map(({ property }) => property));
  if (!result.final.agreed) broken.add('L1');
  if (deposed(scenario, result) > 0) broken.add('L4');
  return { result, broken };
}

/** How many leaders lost their leadership although the faults happened only to others. */
export function deposed({ events, untilMs }: Scenario, { claims }: Result): number {
  const touched = new Set(events.flatMap((event) => ('member' in event ? [event.member] : [])));
  const firstMs = events[0]?.atMs ?? untilMs;
  return claims.filter(({ member, toMs }) => !touched.has(member) && toMs > firstMs && toMs < untilMs).length;
}

/** Does a scenario run the election that the name of its file begins with? With other options it would be another one. */
export function isAsNamed(file: string, given: Json): boolean {
  const named = subjects
    .filter(({ name }) => file.startsWith(`${name}-`))
    .sort((a, b) => b.name.length - a.name.length);
  const { definition, options } = readScenario(given, catalogue);
  const subject = named[0];
  if (subject === undefined || definition !== subject.definition) return false;
  return (
    JSON.stringify(options) === JSON.stringify(readSettings(definition.options, subject.options, 'options'))
  );
}

/** `bully-partition-S10.json` says that S10 is broken in it: a scenario has no field for what it shows. */
export function claimsOf(file: string): string[] {
  return [...file.matchAll(/-([SRL]\d+)(?=[-.])/g)].map((match) => match[1]!);
}
