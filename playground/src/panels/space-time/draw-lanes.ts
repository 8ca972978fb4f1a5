import type { Stretch } from '../../../../src/simulation/index.ts';
import { countUpTo } from '../../game/history/track.ts';
import { nameTerm } from '../../game/words/term-words.ts';
import { type Bar, overlaps } from './bars.ts';
import { type Pen, type Scene, SMALL_FONT } from './scene.ts';
import { isInSight, LABEL_PX, toMs, xOf, yOf } from './view.ts';

/** The line of each member: solid while it runs, dashed while it is paused, none while it is down. */
export function drawLanes(pen: Pen, scene: Scene): void {
  const { history, view, palette, headMs } = scene;
  const endMs = Math.min(toMs(view), headMs);
  for (const id of view.lanes.keys()) {
    if (!isInSight(view, id)) continue;
    const y = Math.round(yOf(view, id)) + 0.5;
    const { timesMs, values } = history.shots.get(id)!;
    for (let i = Math.max(0, countUpTo(timesMs, view.fromMs) - 1); i < values.length; i++) {
      const fromMs = timesMs[i]!;
      if (fromMs > endMs) break;
      const { alive, paused } = values[i]!;
      const [x1, x2] = [
        Math.max(LABEL_PX, xOf(view, fromMs)),
        xOf(view, Math.min(timesMs[i + 1] ?? endMs, endMs)),
      ];
      if (alive) {
        pen.strokeStyle = palette['--edge']!;
        pen.setLineDash(paused ? [2, 6] : []);
        pen.lineWidth = 1;
        line(pen, x1, y, x2, y);
        pen.setLineDash([]);
      }
      const before = values[i - 1];
      if (before === undefined || fromMs < view.fromMs) continue;
      if (before.alive && !alive) drawSign(pen, '✕', x1, y, palette['--text']!);
      else if (!before.paused && paused) drawSign(pen, '‖', x1, y, palette['--text']!);
    }
  }
}

function line(pen: Pen, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function drawSign(pen: Pen, sign: string, x: number, y: number, colour: string): void {
  pen.fillStyle = colour;
  pen.font = `bold ${SMALL_FONT}`;
  pen.fillText(sign, x - 4, y + 4);
}

/** A member that believed it led is an empty bar; one that could act, a full one; two at once, hatched. */
export function drawBars(pen: Pen, scene: Scene): void {
  const { history, view, palette, protocol } = scene;
  const height = Math.min(18, view.lanePx - 4);
  pen.lineWidth = 1;
  const acting = barsOf(scene, history.acting);
  for (const bar of barsOf(scene, history.claims)) {
    const [x1, x2, y] = boxOf(scene, bar, height);
    pen.strokeStyle = palette['--leader']!;
    pen.fillStyle = palette['--ground']!;
    pen.fillRect(x1, y, x2 - x1, height);
    pen.strokeRect(x1 + 0.5, Math.round(y) + 0.5, x2 - x1, height);
  }
  for (const bar of acting) {
    const [x1, x2, y] = boxOf(scene, bar, height);
    pen.fillStyle = palette['--leader']!;
    pen.globalAlpha = 0.3;
    pen.fillRect(x1, y, x2 - x1, height);
    pen.globalAlpha = 1;
  }
  for (const bar of overlaps(acting))
    drawHatch(pen, ...boxOf(scene, bar, height), height, palette['--alarm']!);
  pen.font = SMALL_FONT;
  for (const bar of barsOf(scene, history.claims)) {
    const [x1, x2, y] = boxOf(scene, bar, height);
    const words = [
      bar.term === null ? 'leads' : nameTerm(bar.term, protocol),
      bar.term === null ? '' : String(bar.term),
    ];
    const fitting = words.find((each) => each !== '' && pen.measureText(each).width + 8 < x2 - x1);
    if (fitting === undefined || height < 11) continue;
    const width = pen.measureText(fitting).width;
    pen.fillStyle = palette['--ground']!;
    pen.globalAlpha = 0.8;
    pen.fillRect(x1 + 2, y + 1, width + 4, height - 2);
    pen.globalAlpha = 1;
    pen.fillStyle = palette['--text']!;
    pen.fillText(fitting, x1 + 4, y + height / 2 + 4);
  }
}

/** Those that can be seen. */
function barsOf({ view, headMs }: Scene, stretches: readonly Stretch[]): Bar[] {
  const endMs = toMs(view);
  const found: Bar[] = [];
  for (const { member, term, fromUs, toUs } of stretches) {
    const bar = { member, term, fromMs: fromUs / 1000, toMs: toUs === null ? headMs : toUs / 1000 };
    if (bar.fromMs <= endMs && bar.toMs >= view.fromMs && isInSight(view, member)) found.push(bar);
  }
  return found;
}

function boxOf(
  { view }: Scene,
  { member, fromMs, toMs: endMs }: Bar,
  height: number,
): [number, number, number] {
  const x1 = Math.max(LABEL_PX - 4, xOf(view, fromMs));
  const x2 = Math.min(view.widthPx + 4, xOf(view, endMs));
  return [x1, Math.max(x1 + 1, x2), yOf(view, member) - height / 2];
}

function drawHatch(pen: Pen, x1: number, x2: number, y: number, height: number, colour: string): void {
  pen.save();
  pen.beginPath();
  pen.rect(x1, y, x2 - x1, height);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let x = Math.floor(x1 / 6) * 6 - height; x < x2; x += 6) {
    pen.moveTo(x, y + height);
    pen.lineTo(x + height, y);
  }
  pen.stroke();
  pen.strokeRect(x1, y, x2 - x1, height);
  pen.restore();
}
