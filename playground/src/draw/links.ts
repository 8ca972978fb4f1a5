import { explained } from '../../../src/protocols/explained.ts';
import { between, type Layout, type Point } from './layout.ts';
import type { Palette } from './palette.ts';

/** With more cut links than this, crosses would hide everything; the gaps are enough. */
const MOST_CROSSES = 150;

/**
 * The links: whole lines, broken ones with a cross, and half broken ones with an arrow for the direction that works.
 */
export function drawLinks(
  canvas: CanvasRenderingContext2D,
  layout: Layout,
  blocked: ReadonlySet<string>,
  palette: Palette,
  protocol: string,
): void {
  const { ids, places, width, height, disc } = layout;
  canvas.clearRect(0, 0, width, height);
  const whole = new Path2D();
  const ring = new Path2D();
  const broken = new Path2D();
  const crosses = new Path2D();
  const arrows = new Path2D();
  const size = Math.max(3, Math.min(6, disc / 4));
  const isRing = explained[protocol]?.isRing === true && ids.length > 3;
  const areMany = blocked.size > 2 * MOST_CROSSES;
  for (let i = 0; i < ids.length; i++) {
    const a = places.get(ids[i]!)!;
    for (let j = i + 1; j < ids.length; j++) {
      const b = places.get(ids[j]!)!;
      const there = blocked.has(`${ids[i]}>${ids[j]}`);
      const back = blocked.has(`${ids[j]}>${ids[i]}`);
      const isNext = j - i === 1 || (i === 0 && j === ids.length - 1);
      if (!there && !back) addLine(isRing && isNext ? ring : whole, a, b);
      else if (areMany) {
        if (there !== back) addLine(broken, a, b);
      } else if (there && back) {
        addLine(broken, a, b);
        addCross(crosses, between(a, b, 0.5), size);
      } else {
        const [from, to] = there ? [a, b] : [b, a];
        addLine(whole, from, between(from, to, 0.5));
        addLine(broken, between(from, to, 0.5), to);
        addCross(crosses, between(from, to, 0.72), size);
        addArrow(arrows, between(from, to, 0.42), to, from, size * 1.5);
      }
    }
  }
  canvas.lineWidth = 1;
  const strength = faint((ids.length * (ids.length - 1)) / 2, layout);
  canvas.globalAlpha = isRing ? strength / 3 : strength;
  canvas.strokeStyle = palette['--edge']!;
  canvas.stroke(whole);
  canvas.globalAlpha = 1;
  canvas.lineWidth = 1.5;
  canvas.stroke(ring);
  canvas.lineWidth = areMany ? 1 : 1.5;
  canvas.setLineDash([4, 5]);
  canvas.stroke(broken);
  canvas.setLineDash([]);
  canvas.lineWidth = 2;
  canvas.strokeStyle = palette['--alarm']!;
  canvas.stroke(crosses);
  canvas.fillStyle = palette['--quiet']!;
  canvas.fill(arrows);
}

/** How strongly to draw this many lines, so that they stay in the background. */
export function faint(lines: number, { width, height }: Layout): number {
  const covered = (lines * Math.min(width, height) * 0.6) / (width * height || 1);
  return Math.min(0.55, Math.max(0.03, 0.06 / (covered || 1)));
}

/** What the picture does not show of the links. */
export function linksNote(blocked: ReadonlySet<string>): string {
  if (blocked.size <= 2 * MOST_CROSSES) return '';
  return `${blocked.size.toLocaleString('en-GB')} directions are cut and not drawn.`;
}

function addLine(path: Path2D, a: Point, b: Point): void {
  path.moveTo(a.x, a.y);
  path.lineTo(b.x, b.y);
}

export function addCross(path: Path2D, { x, y }: Point, size: number): void {
  path.moveTo(x - size, y - size);
  path.lineTo(x + size, y + size);
  path.moveTo(x + size, y - size);
  path.lineTo(x - size, y + size);
}

/** A head at this place that points from the one to the other. */
export function addArrow(path: Path2D, at: Point, from: Point, to: Point, size: number): void {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [((to.x - from.x) / length) * size, ((to.y - from.y) / length) * size];
  path.moveTo(at.x + ux, at.y + uy);
  path.lineTo(at.x - ux * 0.6 - uy * 0.7, at.y - uy * 0.6 + ux * 0.7);
  path.lineTo(at.x - ux * 0.6 + uy * 0.7, at.y - uy * 0.6 - ux * 0.7);
  path.closePath();
}
