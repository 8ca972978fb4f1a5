import { ALARM_SHAPES } from '../../draw/alarm-shapes.ts';
import type { Level } from '../../game/words/alarm-words.ts';
import { ticks } from './axis.ts';
import { alarmMarks, signOf } from './marks.ts';
import { FONT, type Pen, type Scene, SMALL_FONT } from './scene.ts';
import { AXIS_PX, isInSight, LABEL_PX, TOP_PX, toMs, xOf, yOf } from './view.ts';

const MARK_Y = (AXIS_PX + TOP_PX) / 2;
const SIGN_PX = 13;
/** Signs closer than this would hide each other: only the first is drawn. */
export const APART_PX = 11;
/** The flag of a branch is drawn beside the action that began it. */
export const FORK_PX: readonly [from: number, to: number] = [7, 30];

/** The lines of time, behind everything else. */
export function drawGrid(pen: Pen, { view, palette }: Scene): void {
  pen.strokeStyle = palette['--line']!;
  pen.lineWidth = 1;
  for (const { ms } of ticks(view.fromMs, toMs(view), view.pxPerMs)) {
    const x = Math.round(xOf(view, ms)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, AXIS_PX - 4);
    pen.lineTo(x, view.heightPx);
    pen.stroke();
  }
}

/** Above the lanes: times, events from outside, alarms, and the starts of branches. */
export function drawTop(pen: Pen, scene: Scene): void {
  const { view, palette, history, orders, forks, selection, cause } = scene;
  pen.fillStyle = palette['--ground']!;
  pen.fillRect(0, 0, view.widthPx, TOP_PX);
  pen.fillStyle = palette['--quiet']!;
  pen.font = SMALL_FONT;
  for (const { ms, label } of ticks(view.fromMs, toMs(view), view.pxPerMs)) {
    const x = xOf(view, ms);
    pen.fillRect(Math.round(x), AXIS_PX - 5, 1, 5);
    pen.fillText(label, x + 3, AXIS_PX - 8);
  }
  for (const { id, atMs } of forks) drawFork(pen, scene, id, atMs);
  let lastX = Number.NEGATIVE_INFINITY;
  pen.font = `bold ${FONT}`;
  pen.textAlign = 'center';
  for (const entry of orders) {
    const x = xOf(view, entry.atMs);
    const isChosen = selection?.kind === 'entry' && selection.index === entry.index;
    if (x - lastX < APART_PX && !isChosen) continue;
    lastX = x;
    pen.fillStyle = isChosen ? palette['--accent']! : palette['--text']!;
    if (cause?.entries.has(entry.index)) pen.fillStyle = palette['--alarm']!;
    pen.fillText(signOf(entry), x, MARK_Y + 4);
    if (isChosen) pen.fillRect(x - 6, MARK_Y + 8, 12, 2);
  }
  pen.textAlign = 'start';
  for (const { atMs, level } of alarmMarks(history.violations, APART_PX / view.pxPerMs)) {
    const x = xOf(view, atMs);
    if (x < LABEL_PX || x > view.widthPx) continue;
    pen.fillStyle = palette['--ground']!;
    pen.fillRect(x - SIGN_PX / 2, AXIS_PX + 2, SIGN_PX, TOP_PX - AXIS_PX - 2);
    pen.fillStyle = palette['--alarm']!;
    drawAlarm(pen, level, x);
    pen.globalAlpha = 0.5;
    pen.fillRect(Math.round(x), MARK_Y + 8, 1, view.heightPx);
    pen.globalAlpha = 1;
  }
}

function drawFork(pen: Pen, { view, palette }: Scene, id: number, atMs: number): void {
  const x = Math.round(xOf(view, atMs));
  if (x < LABEL_PX || x > view.widthPx) return;
  pen.fillStyle = palette['--accent']!;
  pen.fillRect(x, AXIS_PX - 2, 1, TOP_PX - AXIS_PX);
  pen.strokeStyle = palette['--accent']!;
  pen.lineWidth = 1.5;
  const [left, bottom] = [x + FORK_PX[0], TOP_PX - 4];
  pen.beginPath();
  pen.moveTo(left, bottom);
  pen.lineTo(left, bottom - 9);
  pen.moveTo(left, bottom - 3);
  pen.lineTo(left + 5, bottom - 6);
  pen.lineTo(left + 5, bottom - 9);
  pen.stroke();
  pen.fillText(String(id), left + 8, TOP_PX - 4);
}

/** The same sign as in the alarm, which distinguishes grave alarms. */
function drawAlarm(pen: Pen, level: Level, x: number): void {
  pen.save();
  pen.translate(x - SIGN_PX / 2, MARK_Y - SIGN_PX / 2);
  pen.scale(SIGN_PX / 16, SIGN_PX / 16);
  pen.fill(new Path2D(ALARM_SHAPES[level]), 'evenodd');
  pen.restore();
}

/** The names of the lanes, which do not scroll sideways. */
export function drawNames(pen: Pen, { view, palette, selection }: Scene): void {
  pen.fillStyle = palette['--ground']!;
  pen.fillRect(0, 0, LABEL_PX - 2, view.heightPx);
  pen.font = FONT;
  for (const id of view.lanes.keys()) {
    if (!isInSight(view, id)) continue;
    const isChosen = selection?.kind === 'member' && selection.id === id;
    const y = yOf(view, id);
    if (y < TOP_PX + 4) continue;
    pen.fillStyle = isChosen ? palette['--accent']! : palette['--text']!;
    if (isChosen) pen.fillRect(0, y - view.lanePx / 2 + 1, 3, view.lanePx - 2);
    pen.font = isChosen ? `bold ${FONT}` : FONT;
    pen.fillText(String(id), 8, y + 4, LABEL_PX - 14);
  }
}
