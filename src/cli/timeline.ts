import type { Scenario } from '../simulation/index.ts';
import type { Paint, Style } from './colours.ts';
import { LaneDrawer } from './lanes.ts';
import { grouped } from './numbers.ts';
import type { Page } from './page.ts';
import { type Row, toRows } from './rows.ts';
import type { Story } from './story.ts';
import { Vocabulary } from './vocabulary.ts';
import { wrap } from './wrap.ts';

const MOST_ROWS = 50;
/** Lanes give way where they would leave less than this for the words. */
const FEWEST_WORD_COLUMNS = 44;

const STYLES: Readonly<Record<Row['kind'], readonly Style[]>> = {
  step: [],
  fault: ['red', 'bold'],
  repair: ['green', 'bold'],
  note: ['dim'],
  violation: ['yellow'],
  routine: ['dim'],
};

/** A run as a person would tell it: a lane for each member if they fit, and beside them what happened. */
export function timeline(
  story: Story,
  { definition, untilMs }: Scenario,
  { columns, paint }: Page,
): string[] {
  const digits = untilMs < 2000 ? 1 : 0;
  const clock = (ms: number): string => grouped(ms.toFixed(digits));
  const clockColumns = clock(untilMs).length;
  const room = columns - clockColumns - 2;
  const drawer = new LaneDrawer(story.members, paint);
  const lanes = room - drawer.width >= FEWEST_WORD_COLUMNS ? drawer : null;
  const wordColumns = room - (lanes?.width ?? 0);

  const lines = [paint(`${'ms'.padStart(clockColumns)}  ${lanes?.head() ?? ''}`.trimEnd(), 'bold')];
  const vocabulary = new Vocabulary(story.members, definition, story.telling);
  let shown = '';
  for (const row of toRows(story.scenes, vocabulary, untilMs, MOST_ROWS)) {
    const time = row.kind === 'routine' ? '⋮' : clock(row.atMs);
    const left = paint((time === shown ? '' : time).padStart(clockColumns), 'dim');
    shown = time;
    const [first, ...more] = wordLines(row, wordColumns, paint);
    lines.push(`${left}  ${lanes?.draw(row) ?? ''}${first}`);
    for (const each of more) lines.push(`${' '.repeat(clockColumns + 2 + (lanes?.width ?? 0))}${each}`);
  }
  return lanes === null ? lines : [...lines, '', lanes.legend()];
}

/** Lines after the first stand a little further in. The aside is said only if it needs no line of its own. */
function wordLines({ kind, words, aside }: Row, columns: number, paint: Paint): string[] {
  const styles = STYLES[kind];
  const [first, ...more] = wrap(words, columns, 2);
  if (more.length > 0) return [paint(first!, ...styles), ...more.map((each) => paint(each, ...styles))];
  const fits = aside !== '' && first!.length + 1 + aside.length <= columns;
  return [`${paint(first!, ...styles)}${fits ? ` ${paint(aside, 'dim')}` : ''}`];
}
