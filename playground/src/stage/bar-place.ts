import { between, type Layout, type Point } from '../draw/layout.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const EDGE = 8;
/** On a narrower stage the bar is docked below it. */
export const NARROW = 520;
/** In how many steps a place is looked for, across and down. */
const STEPS = 16;
const SAMPLES = 12;
/** The cost of hiding a member, and of hiding the whole subject of the bar. */
const HIDDEN = 8;
const SUBJECT = 30;
/** How far around a disc its rings and its crown reach. */
const AROUND = 14;
/** The legend has its button in the lower right corner. */
const CORNER = { width: 100, height: 48 };

/** The subject of the bar: a point, or a line between two points. */
export interface Subject {
  readonly from: Point;
  readonly to: Point;
  /** How far around it must stay free. */
  readonly clearance: number;
}

/** The position of the bar: where it hides least of the members and of its subject, and near it. */
export function placeBar(subject: Subject, bar: Size, layout: Layout): Point {
  const [acrossPx, downPx] = [layout.width - bar.width - 2 * EDGE, layout.height - bar.height - 2 * EDGE];
  let best: Point = { x: EDGE, y: EDGE };
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= STEPS; i++) {
    for (let j = 0; j <= STEPS; j++) {
      const place = {
        x: EDGE + (Math.max(acrossPx, 0) * i) / STEPS,
        y: EDGE + (Math.max(downPx, 0) * j) / STEPS,
      };
      const cost = costOf(place, subject, bar, layout);
      if (cost >= least) continue;
      best = place;
      least = cost;
    }
  }
  return best;
}

/** Hiding something is the worst; distance, and links behind the bar, hardly count. */
function costOf(place: Point, { from, to, clearance }: Subject, bar: Size, layout: Layout): number {
  const reach = layout.disc + AROUND;
  let cost = 0;
  for (const each of layout.places.values()) {
    const away = distance(each, place, bar);
    if (away < reach) cost += (reach - away) / reach;
    if (away < layout.disc) cost += HIDDEN;
  }
  for (let k = 0; k <= SAMPLES; k++) {
    if (distance(between(from, to, k / SAMPLES), place, bar) < clearance) cost += SUBJECT / SAMPLES;
  }
  const { width, height, centre } = layout;
  const isOnCorner =
    place.x + bar.width > width - CORNER.width && place.y + bar.height > height - CORNER.height;
  if (isOnCorner) cost += 0.3;
  cost += (2 * distance(between(from, to, 0.5), place, bar)) / (width + height);
  // Outside of the ring there are no links and no messages to hide.
  const [x, y] = [place.x + bar.width / 2 - centre.x, place.y + bar.height / 2 - centre.y];
  return cost + 0.6 * Math.max(0, 1 - Math.hypot(x / (width / 2), y / (height / 2)));
}

/** How far a point is from a box; nothing if it is inside. */
function distance({ x, y }: Point, { x: left, y: top }: Point, { width, height }: Size): number {
  return Math.hypot(Math.max(left - x, 0, x - left - width), Math.max(top - y, 0, y - top - height));
}
