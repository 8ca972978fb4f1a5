import type { Scenario } from '../../../simulation/index.ts';
import { grouped, type Row, type Story, toRows, Vocabulary } from '../../../story/index.ts';
import type { Paint, Style } from '../../terminal/colours.ts';
import type { Page } from '../../terminal/page.ts';
import { wrap } from '../../terminal/wrap.ts';
import { LaneDrawer } from './lanes.ts';

const MOST_ROWS = 50;

const STYLES: Readonly<Record<Row['kind'], readonly Style[]>> = {
  step: [],
  fault: ['red', 'bold'],
  repair: ['green', 'bold'],
  command: ['cyan', 'bold'],
  note: ['cyan'],
  violation: ['yellow'],
  routine: ['dim'],
};

/** A run for people: a lane for each member if they fit, and beside them the events. */
export function timeline(
  story: Story,
  { definition, untilMs }: Scenario,
  { columns, paint }: Page,
): string[] {
  const digits = untilMs < 2000 ? 1 : 0;
  const clock = (ms: number): string => grouped(ms.toFixed(digits));
  const clockColumns = clock(untilMs).length;
  const room = columns - clockColumns - 2;
  const lanes = LaneDrawer.fit(story.members, room, paint);
  const wordColumns = room - (lanes?.width ?? 0);

  const lines = lanes?.key(columns) ?? [];
  lines.push(paint(`${'ms'.padStart(clockColumns)}  ${lanes?.head() ?? ''}`.trimEnd(), 'bold'));
  const vocabulary = new Vocabulary(story.members, definition, story.habits);
  let shown = '';
  for (const row of toRows(story.scenes, vocabulary, untilMs, MOST_ROWS)) {
    const time = row.kind === 'routine' ? '⋮' : clock(row.atMs);
    const left = paint((time === shown ? '' : time).padStart(clockColumns), 'dim');
    shown = time;
    const [first, ...more] = wordLines(row, wordColumns, paint);
    lines.push(`${left}  ${lanes?.draw(row) ?? ''}${first}`);
    for (const each of more) lines.push(`${' '.repeat(clockColumns + 2 + (lanes?.width ?? 0))}${each}`);
  }
  if (lanes !== null) lines.push('', ...lanes.legend(columns));
  return [...lines, ...unanswered(story, columns, paint)];
}

/** Lines after the first are indented. The aside is printed only if it needs no extra line. */
function wordLines(row: Row, columns: number, paint: Paint): string[] {
  const { kind, words, shorter = [], aside } = row;
  const styles = STYLES[kind];
  const chosen = [words, ...shorter].find((each) => each.length <= columns) ?? shorter.at(-1) ?? words;
  const [first, ...more] = wrap(chosen, columns, 2);
  if (more.length > 0) return [paint(first!, ...styles), ...more.map((each) => paint(each, ...styles))];
  const fits = aside !== '' && first!.length + 1 + aside.length <= columns;
  return [`${paint(first!, ...styles)}${fits ? ` ${paint(aside, 'dim')}` : ''}`];
}

const MOST_UNANSWERED = 5;

/** Commands without an answer are listed: their user would wait for ever. */
function unanswered({ unanswered: pending }: Story, columns: number, paint: Paint): string[] {
  if (pending.length === 0) return [];
  const lines = pending
    .slice(0, MOST_UNANSWERED)
    .map(
      ({ what, atMs, member }) => `${what} at ${grouped(Math.round(atMs))} ms: never answered by ${member}`,
    );
  const rest = pending.length - MOST_UNANSWERED;
  if (rest > 0) lines.push(`and ${grouped(rest)} more commands that were never answered`);
  return ['', ...lines.flatMap((line) => wrap(line, columns, 2)).map((line) => paint(line, 'yellow'))];
}
