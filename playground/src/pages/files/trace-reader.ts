import { BadInput, type TraceEvent, type TraceStep } from '../../../../src/core/index.ts';
import { type Happening, toUs } from '../../../../src/simulation/index.ts';
import { Recorder } from '../../game/history/recorder.ts';
import { LONGEST_RUN_MS } from '../../game/run/run.ts';
import { MOST_ENTRIES } from '../../game/run/timeline.ts';
import { inOrder } from './in-order.ts';
import { type Matches, match } from './matching.ts';
import { RecordedLeaders } from './recorded-leaders.ts';
import { RecordedTimeline } from './recorded-timeline.ts';
import { type Heading, readHeading, readLine } from './trace-lines.ts';

type Line = TraceStep | TraceEvent;

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

export interface Recording {
  readonly timeline: RecordedTimeline;
  /** Errors, in words. Everything before them is shown. */
  readonly problems: readonly string[];
}

/** How many lines are read before the page may draw again. */
const AT_ONCE = 100;
/** Numbers that no scenario gives to a message: those of the trace mean other flights. */
const FIRST_FLIGHT = 2 ** 40;

/** Is this the beginning of a trace, rather than of a scenario? */
export function isTrace(text: string): boolean {
  return /^\s*\{\s*"trace"\s*:/.test(text.slice(0, 200));
}

/**
 * Reads a trace, or merges the recordings of several members. It works in small pieces, so that a page can do
 * something else in between. Throws BadInput if the first line is invalid.
 */
export function* readTraces(files: readonly TextFile[]): Generator<void, Recording> {
  const problems: string[] = [];
  const lines: Line[] = [];
  let heading: Heading | null = null;
  for (const { name, text } of files) {
    const where = files.length > 1 ? `${name}, line` : 'Line';
    const found = firstLine(text);
    const own = readFirst(found.line, where);
    if (heading !== null && own.definition !== heading.definition) {
      throw new BadInput(
        name,
        `a trace of ${heading.definition.name}, as the first file`,
        own.definition.name,
      );
    }
    heading ??= own;
    let number = 1;
    for (const line of linesOf(text, found.end)) {
      number += 1;
      if (number % AT_ONCE === 0) yield;
      if (line.trim() === '') continue;
      try {
        lines.push(readLine(line));
      } catch (error) {
        problems.push(
          `${where} ${number} cannot be read: ${(error as Error).message}. What comes before it is shown.`,
        );
        break;
      }
      if (lines.length >= MOST_ENTRIES) {
        problems.push(
          `Only the first ${MOST_ENTRIES.toLocaleString('en-GB')} lines are shown: more does not fit into a page.`,
        );
        break;
      }
    }
  }
  if (heading === null) throw new BadInput('', 'a trace', 'nothing');
  // Recordings of real members count from 1970.
  lines.sort((a, b) => a.atMs - b.atMs);
  yield;
  const fromMs = heading.seed === null ? (lines[0]?.atMs ?? 0) : 0;
  const known = lines.filter(({ atMs }) => atMs - fromMs <= LONGEST_RUN_MS);
  if (known.length < lines.length) {
    const { atMs } = lines[known.length]!;
    problems.push(
      `What happened at ${atMs} ms, more than a day after the beginning, is not shown, nor what followed.`,
    );
  }
  const shifted = fromMs === 0 ? known : known.map((line) => ({ ...line, atMs: line.atMs - fromMs }));
  const matches = yield* match(shifted);
  const told = files.length > 1 ? inOrder(matches.lines, matches.arrivalMs) : matches.lines;
  return yield* record(heading, told, matches, problems);
}

function* record(
  heading: Heading,
  lines: readonly Line[],
  matches: Matches,
  problems: string[],
): Generator<void, Recording> {
  const { definition, members, timing, options } = heading;
  const protocol = definition.create({ timing, options });
  const recorder = new Recorder(protocol);
  const leaders = new RecordedLeaders(protocol.pledges);
  const { history } = recorder;
  recorder.trace({
    trace: 'caucus/1',
    protocol: definition.name,
    members,
    timing,
    options,
    seed: heading.seed,
  });
  let headMs = 0;
  let flight = FIRST_FLIGHT;
  for (const [i, line] of lines.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    try {
      if ('event' in line) {
        recorder.trace(line);
        leaders.onEvent(line);
      } else {
        // A member that joined later, or that the others never mention.
        if (!history.shots.has(line.member))
          recorder.trace({ atMs: line.atMs, event: { do: 'boot', member: line.member } });
        recorder.trace(line);
        flight = schedule(recorder, line, matches, flight);
        leaders.onStep(line, (at) => dueMs(line, at, matches));
      }
    } catch {
      problems.push(
        `What happened at ${line.atMs} ms contradicts earlier lines. What comes before it is shown.`,
      );
      break;
    }
    headMs = line.atMs;
  }
  leaders.passTo(headMs);
  history.claims = leaders.claims.stretches;
  history.acting = leaders.acting.stretches;
  history.violations = leaders.violations;
  return { timeline: new RecordedTimeline(heading, history, headMs), problems };
}

/** Passes to the recorder what a world would: which messages left, and which timers were set. */
function schedule(recorder: Recorder, line: TraceStep, matches: Matches, first: number): number {
  let flight = first;
  const { atMs, member, effects } = line;
  const plan = (happening: Partial<Happening>): void => recorder.scheduled(happening as Happening, atMs);
  effects.forEach((effect, i) => {
    if (effect.type === 'set-timer') {
      const host = { name: member } as Happening['host'];
      plan({ kind: 'timer', host, atUs: toUs(dueMs(line, i, matches)), timer: effect.timer, message: null });
    }
    if (effect.type !== 'send' || matches.told.has(effect.message)) return;
    const arrivalMs = matches.arrivalMs.get(effect.message);
    const host = { name: effect.to } as Happening['host'];
    const atUs = toUs(Math.max(arrivalMs ?? atMs, atMs));
    plan({ kind: 'deliver', host, atUs, seq: flight, from: member, message: effect.message });
    flight += 1;
    const flown = recorder.history.flights.all.at(-1)!;
    if (arrivalMs === undefined) flown.fate = 'unknown';
  });
  return flight;
}

/** A timer that never fired was due at the end of its delay at the latest. */
function dueMs({ atMs, effects }: TraceStep, at: number, { dueMs: known }: Matches): number {
  const effect = effects[at]!;
  if (effect.type !== 'set-timer') return atMs;
  const { delayMs } = effect;
  return known.get(effect) ?? atMs + (typeof delayMs === 'number' ? delayMs : delayMs[1]);
}

function readFirst(line: string, where: string): Heading {
  try {
    return readHeading(line);
  } catch (error) {
    throw new Error(`${where} 1 cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function firstLine(text: string): { line: string; end: number } {
  const end = text.indexOf('\n');
  return end < 0 ? { line: text, end: text.length } : { line: text.slice(0, end), end: end + 1 };
}

/** One by one: a list of all lines would be a second copy of the file. */
function* linesOf(text: string, from: number): Generator<string> {
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
  }
}
