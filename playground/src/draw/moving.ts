import type { Flight } from '../game/history/flights.ts';
import type { Frame } from '../game/history/frame.ts';
import type { History } from '../game/history/history.ts';
import { leaseTimer, mainTimer, partOver } from '../game/history/timers.ts';
import { countUpTo } from '../game/history/track.ts';
import { type Kind, kindOf, LOOKS } from './kinds.ts';
import { between, flightLane, flightPoint, type Layout, lane, type Point } from './layout.ts';
import { addArrow, addCross, faint } from './links.ts';
import type { Palette } from './palette.ts';
import { addShape } from './shapes.ts';

/** Above this, single messages cannot be told apart, and links show how many they carry. */
const MOST_DOTS = 3000;
const MOST_OUTLINES = 400;
const MOST_LETTERS = 150;
/** For how long it is shown that a message did not set out. */
const LOST_MS = 250;
const TOP = -Math.PI / 2;
const TURN = 2 * Math.PI;

export interface Moving {
  readonly layout: Layout;
  readonly frame: Frame;
  readonly history: History;
  readonly protocol: string;
  readonly isStill: boolean;
  /** Messages to point out. */
  readonly chosen: readonly Flight[];
}

/** All that moves: messages on their way, and the timers around members. */
export function drawMoving(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, isStill } = moving;
  canvas.clearRect(0, 0, layout.width, layout.height);
  drawTimers(canvas, moving, palette);
  if (frame.flights.length > MOST_DOTS) drawDensity(canvas, moving, palette);
  else if (isStill) drawArrows(canvas, moving, palette);
  else drawDots(canvas, moving, palette);
  drawLost(canvas, moving, palette);
  drawChosen(canvas, moving, palette);
}

/** What of the messages cannot be seen in the picture. */
export function dotsNote({ flights }: Frame): string {
  if (flights.length <= MOST_DOTS) return '';
  return `${flights.length.toLocaleString('en-GB')} messages on their way: the thicker a link, the more it carries.`;
}

/** The rings run down: what is left of a wait, and outside of it what is left of a lease. */
function drawTimers(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, history } = moving;
  const waits = new Path2D();
  const leases = new Path2D();
  const gap = layout.disc >= 14 ? 4.5 : 2.5;
  for (const shot of frame.members) {
    const place = layout.places.get(shot.id);
    if (place === undefined) continue;
    const wait = mainTimer(history, shot, frame.ms);
    if (wait !== null) addArc(waits, place, layout.disc + gap, 1 - partOver(wait, frame.ms));
    const lease = leaseTimer(history, shot, frame.ms);
    if (lease !== null) addArc(leases, place, layout.disc + gap * 2, 1 - partOver(lease, frame.ms));
  }
  canvas.lineWidth = layout.disc >= 14 ? 3 : 1.5;
  canvas.strokeStyle = palette['--quiet']!;
  canvas.stroke(waits);
  canvas.strokeStyle = palette['--leader']!;
  canvas.stroke(leases);
}

function addArc(path: Path2D, { x, y }: Point, radius: number, part: number): void {
  path.moveTo(x, y - radius);
  path.arc(x, y, radius, TOP, TOP + TURN * part);
}

/** One path for each kind: drawing each dot by itself would take many times as long. */
function drawDots(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, protocol } = moving;
  const { dot } = layout;
  const shapes = new Shapes();
  const letters: { letter: string; point: Point }[] = [];
  const hasLetters = dot >= 7 && frame.flights.length <= MOST_LETTERS;
  for (const flight of frame.flights) {
    const point = flightPoint(layout, flight, frame.ms, false);
    if (point === null) continue;
    const kind = kindOf(flight.message, protocol);
    shapes.add(kind, point, dot);
    if (hasLetters) letters.push({ letter: LOOKS[kind].letter, point });
  }
  fillAll(canvas, shapes, palette, frame.flights.length <= MOST_OUTLINES);
  canvas.font = `600 ${Math.round(dot * 1.35)}px ui-monospace, monospace`;
  canvas.textAlign = 'center';
  canvas.textBaseline = 'middle';
  for (const { letter, point } of letters) {
    canvas.fillStyle = letter === LOOKS.denial.letter ? palette['--text']! : palette['--ground']!;
    canvas.fillText(letter, point.x, point.y + 0.5);
  }
}

/** A path of very many pieces takes longer to fill than a few of some pieces each. */
const MOST_PIECES = 64;

/** The shapes of each kind, as few paths. */
class Shapes {
  readonly paths: { readonly kind: Kind; readonly path: Path2D }[] = [];
  readonly #open = new Map<Kind, { path: Path2D; pieces: number }>();

  add(kind: Kind, { x, y }: Point, radius: number): void {
    let open = this.#open.get(kind);
    if (open === undefined || open.pieces >= MOST_PIECES) {
      open = { path: new Path2D(), pieces: 0 };
      this.#open.set(kind, open);
      this.paths.push({ kind, path: open.path });
    }
    open.pieces += 1;
    addShape(open.path, LOOKS[kind].shape, x, y, radius);
  }
}

function fillAll(
  canvas: CanvasRenderingContext2D,
  { paths }: Shapes,
  palette: Palette,
  isOutlined: boolean,
): void {
  for (const { kind, path } of paths) {
    const { shape, colour } = LOOKS[kind];
    const isHollow = shape === 'hollow-diamond';
    if (isOutlined) {
      canvas.lineWidth = 3;
      canvas.strokeStyle = palette['--ground']!;
      canvas.stroke(path);
    }
    canvas.fillStyle = palette[isHollow ? '--ground' : colour]!;
    canvas.fill(path);
    if (!isHollow) continue;
    canvas.lineWidth = 1.5;
    canvas.strokeStyle = palette[colour]!;
    canvas.stroke(path);
  }
}

/** For those who do not want things to move: an arrow half-way, numbered in the order of sending. */
function drawArrows(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, protocol } = moving;
  const { dot } = layout;
  const shapes = new Shapes();
  const shafts = new Path2D();
  const heads = new Path2D();
  const numbers: Point[] = [];
  for (const flight of frame.flights) {
    const way = flightLane(layout, flight);
    if (way === null) continue;
    const [from, to] = way;
    const [tail, middle, head] = [between(from, to, 0.36), between(from, to, 0.5), between(from, to, 0.64)];
    shafts.moveTo(tail.x, tail.y);
    shafts.lineTo(head.x, head.y);
    addArrow(heads, head, from, to, dot * 0.9);
    const kind = kindOf(flight.message, protocol);
    shapes.add(kind, middle, dot);
    numbers.push(middle);
  }
  canvas.lineWidth = 1.5;
  canvas.strokeStyle = palette['--quiet']!;
  canvas.stroke(shafts);
  canvas.fillStyle = palette['--quiet']!;
  canvas.fill(heads);
  fillAll(canvas, shapes, palette, true);
  if (numbers.length > MOST_LETTERS) return;
  canvas.font = `600 ${Math.max(9, dot * 1.3)}px ui-monospace, monospace`;
  canvas.textAlign = 'left';
  canvas.textBaseline = 'middle';
  canvas.lineWidth = 3;
  canvas.strokeStyle = palette['--ground']!;
  canvas.fillStyle = palette['--text']!;
  numbers.forEach(({ x, y }, i) => {
    canvas.strokeText(String(i + 1), x + dot * 1.4, y);
    canvas.fillText(String(i + 1), x + dot * 1.4, y);
  });
}

/** How many messages each link carries, as its thickness, in three steps. */
function drawDensity(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame } = moving;
  const counts = new Map<string, { flight: Flight; count: number }>();
  for (const flight of frame.flights) {
    const key = `${flight.from}>${flight.to}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { flight, count: 1 });
    else found.count += 1;
  }
  const steps = [new Path2D(), new Path2D(), new Path2D()];
  for (const { flight, count } of counts.values()) {
    const way = lane(layout, flight.from, flight.to);
    if (way === null) continue;
    const path = steps[Math.min(count, 3) - 1]!;
    path.moveTo(way[0].x, way[0].y);
    path.lineTo(way[1].x, way[1].y);
  }
  canvas.globalAlpha = faint(counts.size / 3, layout);
  canvas.strokeStyle = palette['--quiet']!;
  steps.forEach((path, i) => {
    canvas.lineWidth = 0.75 + i;
    canvas.stroke(path);
  });
  canvas.globalAlpha = 1;
}

/** A message that the network did not take ends where it would have left, with a cross. */
function drawLost(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, history } = moving;
  const { all, sentMs } = history.flights;
  const crosses = new Path2D();
  let left = MOST_DOTS;
  for (let i = countUpTo(sentMs, frame.ms) - 1; i >= 0 && left > 0; i--) {
    const flight = all[i]!;
    if (flight.sentMs < frame.ms - LOST_MS) break;
    if (flight.id >= 0 || flight.fate === 'held') continue;
    const way = lane(layout, flight.from, flight.to);
    if (way !== null) addCross(crosses, between(way[0], way[1], 0.12), layout.dot * 0.6);
    left -= 1;
  }
  canvas.lineWidth = layout.dot >= 7 ? 2.5 : 1.5;
  canvas.strokeStyle = palette['--quiet']!;
  canvas.stroke(crosses);
}

function drawChosen(canvas: CanvasRenderingContext2D, moving: Moving, palette: Palette): void {
  const { layout, frame, isStill, chosen } = moving;
  canvas.lineWidth = 3;
  canvas.strokeStyle = palette['--accent']!;
  for (const flight of chosen) {
    const point = flightPoint(layout, flight, frame.ms, isStill);
    if (point === null || frame.ms < flight.sentMs || frame.ms >= flight.endMs) continue;
    canvas.beginPath();
    canvas.arc(point.x, point.y, layout.dot + 6, 0, TURN);
    canvas.stroke();
  }
}
