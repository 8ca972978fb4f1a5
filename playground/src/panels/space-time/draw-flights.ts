import { kindOf, LOOKS } from '../../draw/kinds.ts';
import { addShape } from '../../draw/shapes.ts';
import type { Flight } from '../../game/history/flights.ts';
import { countUpTo } from '../../game/history/track.ts';
import type { Pen, Scene, Stroke } from './scene.ts';
import { isInSight, toMs, xOf, yOf } from './view.ts';

/** With more arrows than this, only their density is drawn. */
export const MOST_ARROWS = 3000;
const COLUMN_PX = 4;
const STUB_PX = 14;

export function countFlights({ history, view }: Scene): number {
  const { sentMs } = history.flights;
  return countUpTo(sentMs, toMs(view)) - countUpTo(sentMs, view.fromMs);
}

/** Every message as an arrow from lane to lane. Returns where they are. */
export function drawArrows(pen: Pen, scene: Scene): Stroke[] {
  const { history, view, protocol, palette, cause } = scene;
  const strokes: Stroke[] = [];
  const causes = new Set(cause === null ? [] : [...cause.flights].map((i) => history.flights.all[i]));
  const flights = history.flights.between(view.fromMs, toMs(view));
  const radius = Math.min(5, view.lanePx / 5);
  pen.lineWidth = 1;
  for (const flight of flights) {
    if (!isInSight(view, flight.from) && !isInSight(view, flight.to)) continue;
    const look = LOOKS[kindOf(flight.message, protocol)];
    const stroke = strokeOf(scene, flight);
    strokes.push(stroke);
    const { x1, y1, x2, y2 } = stroke;
    const isCause = causes.has(flight);
    const isChosen = isSelected(scene, flight);
    const colour = isCause ? palette['--alarm']! : palette[look.colour]!;
    pen.globalAlpha = isCause || isChosen ? 1 : cause === null ? 0.75 : 0.25;
    pen.lineWidth = isChosen ? 2.5 : isCause ? 2 : 1;
    pen.strokeStyle = isChosen ? palette['--accent']! : colour;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
    drawEnd(pen, scene, flight, stroke, radius, look.shape);
  }
  pen.globalAlpha = 1;
  return strokes;
}

/** Selected are a selected message, messages over a selected link, and those that a selected step received and sent. */
function isSelected({ history, selection }: Scene, flight: Flight): boolean {
  switch (selection?.kind) {
    case 'flight':
      return history.flights.all[selection.index] === flight;
    case 'entry':
      return flight.sentBy === selection.index || flight.arrivedAs === selection.index;
    case 'link': {
      const ends = [selection.from, selection.to];
      return ends.includes(flight.from) && ends.includes(flight.to);
    }
    case 'member':
    case undefined:
      return false;
  }
}

function drawEnd(
  pen: Pen,
  { headMs, palette }: Scene,
  { fate, dueMs, endMs }: Flight,
  { x2, y2 }: Stroke,
  radius: number,
  shape: Parameters<typeof addShape>[1],
): void {
  pen.beginPath();
  if (fate === 'arriving' || fate === 'unknown') {
    if (dueMs > headMs) return;
    addShape(pen, shape, x2, y2, radius);
    if (shape === 'hollow-diamond') pen.stroke();
    else pen.fill();
    return;
  }
  if (endMs > headMs) return;
  if (fate === 'duplicated') {
    pen.fillText('2', x2 - 3, y2 + 4);
    return;
  }
  pen.strokeStyle = palette['--text']!;
  pen.lineWidth = 1.5;
  if (fate === 'held') {
    pen.moveTo(x2 - 2, y2 - 4);
    pen.lineTo(x2 - 2, y2 + 4);
    pen.moveTo(x2 + 2, y2 - 4);
    pen.lineTo(x2 + 2, y2 + 4);
  } else {
    pen.moveTo(x2 - 3.5, y2 - 3.5);
    pen.lineTo(x2 + 3.5, y2 + 3.5);
    pen.moveTo(x2 + 3.5, y2 - 3.5);
    pen.lineTo(x2 - 3.5, y2 + 3.5);
  }
  pen.stroke();
}

/** From its sender to its end, or as far as it is known. */
function strokeOf({ view, headMs }: Scene, flight: Flight): Stroke {
  const { from, to, sentMs, dueMs, endMs, id, fate } = flight;
  const [x1, y1, lastY] = [xOf(view, sentMs), yOf(view, from), yOf(view, to)];
  if (id < 0 && fate !== 'arriving' && fate !== 'unknown') {
    // It was never sent: a stub in the right direction.
    const down = Math.sign(lastY - y1) * Math.min(STUB_PX, Math.abs(lastY - y1) / 2);
    return { flight, x1, y1, x2: x1 + STUB_PX / 2, y2: y1 + down };
  }
  const untilMs = Math.min(fate === 'arriving' ? dueMs : endMs, Math.max(headMs, sentMs));
  const part = dueMs > sentMs ? (untilMs - sentMs) / (dueMs - sentMs) : 1;
  return { flight, x1, y1, x2: xOf(view, untilMs), y2: y1 + (lastY - y1) * part };
}

/** How many messages left each lane, as a strip that is fuller the more there are. */
export function drawDensity(pen: Pen, scene: Scene): void {
  const { history, view, palette } = scene;
  const { all, sentMs } = history.flights;
  const columns = Math.ceil(view.widthPx / COLUMN_PX);
  const counts = new Map<string | number, Uint32Array>();
  let most = 1;
  const end = countUpTo(sentMs, toMs(view));
  for (let i = countUpTo(sentMs, view.fromMs); i < end; i++) {
    const { from } = all[i]!;
    let lane = counts.get(from);
    if (lane === undefined) {
      lane = new Uint32Array(columns + 1);
      counts.set(from, lane);
    }
    const column = Math.max(0, Math.floor(xOf(view, sentMs[i]!) / COLUMN_PX));
    lane[column]! += 1;
    most = Math.max(most, lane[column]!);
  }
  pen.fillStyle = palette['--keep-alive']!;
  for (const [id, lane] of counts) {
    if (!isInSight(view, id)) continue;
    const y = yOf(view, id);
    lane.forEach((count, column) => {
      if (count === 0) return;
      const part = Math.sqrt(count / most); // A lane that sends little is seen beside one that sends very much.
      pen.globalAlpha = 0.25 + 0.6 * part;
      const height = Math.max(2, (view.lanePx - 4) * part);
      pen.fillRect(column * COLUMN_PX, y - height / 2, COLUMN_PX - 1, height);
    });
  }
  pen.globalAlpha = 1;
}
