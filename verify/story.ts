import type { Effect, Json, TraceLine } from '../src/core/index.ts';
import { catalogue } from '../src/protocols/index.ts';
import { readScenario, runWorld } from '../src/simulation/index.ts';
import { describeEvent } from '../src/story/index.ts';

const MOST_LINES = 12;

/** What happens in a scenario, in a few lines: the events, who begins and ceases to lead, and what is broken. */
export function storyOf(given: Json, properties: readonly string[]): string[] {
  const scenario = readScenario(given, catalogue);
  const told: { atMs: number; line: string }[] = [];
  const leads = new Set<Json>();
  const world = runWorld(scenario, scenario.seed ?? 1, {
    trace(line) {
      for (const words of wordsOf(line, leads))
        told.push({ atMs: 'atMs' in line ? line.atMs : 0, line: words });
    },
  });
  for (const { property, atMs, detail } of firstOf(world.violations, properties)) {
    told.push({ atMs, line: `${property} is broken: ${detail}` });
  }
  const lines = told.sort((a, b) => a.atMs - b.atMs).map(({ atMs, line }) => `${msOf(atMs)}  ${line}`);
  if (lines.length <= MOST_LINES) return lines;
  const half = MOST_LINES / 2;
  return [...lines.slice(0, half), `           … ${lines.length - MOST_LINES} more`, ...lines.slice(-half)];
}

function firstOf<T extends { readonly property: string }>(
  violations: readonly T[],
  properties: readonly string[],
): T[] {
  return properties.flatMap((property) => violations.find((each) => each.property === property) ?? []);
}

function wordsOf(line: TraceLine, leads: Set<Json>): string[] {
  // What becomes of single messages is too much to tell, and so is the answer to every command.
  if ('event' in line) {
    const { event } = line;
    return event.type !== undefined || event.do === 'answer' ? [] : [describeEvent(event)];
  }
  if (!('effects' in line)) return [];
  const { member, effects } = line;
  return effects.flatMap((effect: Effect) => {
    if (effect.type !== 'report') return [];
    const { role, term } = effect.view;
    const before = leads.has(member);
    if (role === 'leader') leads.add(member);
    else leads.delete(member);
    if (before === leads.has(member)) return [];
    return [`${member} ${before ? 'leads no longer' : `leads${term === null ? '' : ` term ${term}`}`}`];
  });
}

/** The explorer's own lines, numbered. */
export function numbered(trace: readonly string[]): string[] {
  return trace.map((line, i) => `${String(i + 1).padStart(3)}  ${line}`);
}

function msOf(atMs: number): string {
  return `${Math.round(atMs).toLocaleString('en-US')} ms`.padStart(10);
}
