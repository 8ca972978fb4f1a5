import type { MemberId } from '../../../src/core/index.ts';
import type { Flight } from '../game/history/flights.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The position of every member in a box of this size. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly ids: readonly MemberId[];
  readonly places: ReadonlyMap<MemberId, Point>;
  readonly centre: Point;
  /** The radius of a member's disc. */
  readonly disc: number;
  /** The radius of a message's dot. */
  readonly dot: number;
}

/** From this many on, members stand in two rows, which gives each of them twice the room. */
const TWO_ROWS = 40;
const SAMPLES = 720;

/** Members in order around an ellipse, the first at the top, all equally far from their neighbours. */
export function layOut(ids: readonly MemberId[], width: number, height: number): Layout {
  const n = Math.max(ids.length, 1);
  const centre = { x: width / 2, y: height / 2 };
  const isTwoRows = n >= TWO_ROWS;
  let disc = discFor(n, isTwoRows, ellipseIn(width, height, 40), Math.min(width, height));
  const [rx, ry] = ellipseIn(width, height, disc + (isTwoRows ? 12 : 27));
  disc = discFor(n, isTwoRows, [rx, ry], Math.min(width, height));
  const inward = isTwoRows ? disc * 2 + 10 : 0;
  // An odd one out would stand beside the first in the same row.
  const angles = evenAngles(isTwoRows ? n + (n % 2) : n, rx, ry);
  const places = new Map<MemberId, Point>();
  ids.forEach((id, i) => {
    const step = i % 2 === 1 ? inward : 0;
    const angle = angles[i]!;
    places.set(id, {
      x: tidy(centre.x + Math.max(rx - step, 0) * Math.cos(angle)),
      y: tidy(centre.y + Math.max(ry - step, 0) * Math.sin(angle)),
    });
  });
  return { width, height, ids, places, centre, disc, dot: dotFor(disc) };
}

function tidy(px: number): number {
  return Math.round(px * 10) / 10;
}

function ellipseIn(width: number, height: number, margin: number): [rx: number, ry: number] {
  const rx = Math.max(width / 2 - margin, 10);
  const ry = Math.max(height / 2 - margin, 10);
  return [Math.min(rx, ry * 2.1), Math.min(ry, rx * 1.4)];
}

function discFor(n: number, isTwoRows: boolean, [rx, ry]: [number, number], side: number): number {
  const around = 2 * Math.PI * Math.sqrt((rx * rx + ry * ry) / 2);
  const room = (around / n) * (isTwoRows ? 2 : 1);
  return Math.max(4.5, Math.min(room * 0.29, side * 0.085, 30));
}

function dotFor(disc: number): number {
  if (disc >= 18) return 8;
  return disc >= 11 ? 5.5 : 3.6;
}

/** Equal angles would crowd members at the narrow ends, so equal arc lengths are used. */
function evenAngles(n: number, rx: number, ry: number): number[] {
  const along = [0];
  const at = (k: number): number => -Math.PI / 2 + (k / SAMPLES) * 2 * Math.PI;
  for (let k = 1; k <= SAMPLES; k++) {
    const [a, b] = [at(k - 1), at(k)];
    const piece = Math.hypot(rx * (Math.cos(b) - Math.cos(a)), ry * (Math.sin(b) - Math.sin(a)));
    along.push(along[k - 1]! + piece);
  }
  const angles: number[] = [];
  let k = 0;
  for (let i = 0; i < n; i++) {
    const wanted = (along[SAMPLES]! * i) / n;
    while (along[k + 1]! < wanted) k++;
    const part = (wanted - along[k]!) / (along[k + 1]! - along[k]! || 1);
    angles.push(at(k + part));
  }
  return angles;
}

/**
 * The line between two members outside their discs, shifted a little to the right so that answers do not overlap.
 * `aside` shifts it by that many dots more.
 */
export function lane(layout: Layout, from: MemberId, to: MemberId, aside = 0): [Point, Point] | null {
  const a = layout.places.get(from);
  const b = layout.places.get(to);
  if (a === undefined || b === undefined) return null;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const gap = Math.min(layout.disc + 2, length / 3);
  const side = layout.dot * (0.45 + aside);
  return [
    { x: a.x + ux * gap - uy * side, y: a.y + uy * gap + ux * side },
    { x: b.x - ux * gap - uy * side, y: b.y - uy * gap + ux * side },
  ];
}

/** The position of a message at that moment; half-way if the visitor prefers no motion. */
export function flightPoint(layout: Layout, flight: Flight, ms: number, isStill: boolean): Point | null {
  const way = flightLane(layout, flight);
  if (way === null) return null;
  const { leftMs = flight.sentMs, dueMs } = flight;
  const part = isStill || dueMs <= leftMs ? 0.5 : Math.min(1, Math.max(0, (ms - leftMs) / (dueMs - leftMs)));
  return between(way[0], way[1], part);
}

/** Copies made in flight have consecutive numbers, and fly side by side. */
export function flightLane(layout: Layout, { id, from, to, leftMs }: Flight): [Point, Point] | null {
  return lane(layout, from, to, leftMs === undefined ? 0 : (id % 2) * 3 - 1.5);
}

export function between(a: Point, b: Point, part: number): Point {
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
}
