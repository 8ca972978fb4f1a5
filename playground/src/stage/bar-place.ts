import type { Layout, Point } from './layout.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const EDGE = 8;
/** Below this the bar takes the whole width. */
const NARROW = 520;

/** Something that the bar is about: a place, or a stretch from one place to another. */
export interface Subject {
  readonly from: Point;
  readonly to: Point;
  /** How far around it must stay free. */
  readonly clearance: number;
}

/**
 * Where the buttons for something stand: beside it, on the side that looks away from the middle if there is room, and not over
 * it. On a narrow stage they take the end that is farther away.
 */
export function placeBar(subject: Subject, bar: Size, layout: Layout): Point {
  const { from, to } = subject;
  if (layout.width < NARROW) {
    const isLow = (from.y + to.y) / 2 > layout.centre.y;
    return inside({ x: 0, y: isLow ? 0 : layout.height }, bar, layout);
  }
  return from.x === to.x && from.y === to.y
    ? besidePlace(from, subject.clearance, bar, layout)
    : besideLine(subject, bar, layout);
}

function inside({ x, y }: Point, bar: Size, { width, height }: Layout): Point {
  return {
    x: Math.max(EDGE, Math.min(x, width - bar.width - EDGE)),
    y: Math.max(EDGE, Math.min(y, height - bar.height - EDGE)),
  };
}

/** On one side of a line, so far that no corner touches it; the better side is the one with more room. */
function besideLine({ from, to, clearance }: Subject, bar: Size, layout: Layout): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const normal = { x: -(to.y - from.y) / length, y: (to.x - from.x) / length };
  const away = clearance + (Math.abs(normal.x) * bar.width + Math.abs(normal.y) * bar.height) / 2;
  let best: Point | null = null;
  let bestMove = Number.POSITIVE_INFINITY;
  for (const part of [0.5, 0.25, 0.75]) {
    for (const side of [1, -1]) {
      const wanted = {
        x: from.x + (to.x - from.x) * part + normal.x * away * side - bar.width / 2,
        y: from.y + (to.y - from.y) * part + normal.y * away * side - bar.height / 2,
      };
      const place = inside(wanted, bar, layout);
      // Moving along the line does no harm; moving towards it does.
      const move = Math.abs((place.x - wanted.x) * normal.x + (place.y - wanted.y) * normal.y);
      if (move < bestMove - 1) {
        best = place;
        bestMove = move;
      }
    }
  }
  return best!;
}

function besidePlace(anchor: Point, clearance: number, bar: Size, layout: Layout): Point {
  const { width, height, centre } = layout;
  const right = { x: anchor.x + clearance, y: anchor.y - bar.height / 2 };
  const left = { x: anchor.x - clearance - bar.width, y: right.y };
  const below = { x: anchor.x - bar.width / 2, y: anchor.y + clearance };
  const above = { x: below.x, y: anchor.y - clearance - bar.height };
  const sides = anchor.x >= centre.x ? [right, left] : [left, right];
  const ends = anchor.y >= centre.y ? [below, above] : [above, below];
  const fitsAcross = ({ x }: Point): boolean => x >= EDGE && x + bar.width <= width - EDGE;
  const fitsDown = ({ y }: Point): boolean => y >= EDGE && y + bar.height <= height - EDGE;
  const chosen = sides.slice(0, 1).find(fitsAcross) ?? ends.find(fitsDown) ?? sides.find(fitsAcross) ?? right;
  return inside(chosen, bar, layout);
}
