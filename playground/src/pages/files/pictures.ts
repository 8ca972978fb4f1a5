import { type Kind, kindOf, LOOKS } from '../../draw/kinds.ts';
import { between, flightPoint, type Layout, lane, layOut, type Point } from '../../draw/layout.ts';
import type { Flight } from '../../game/history/flights.ts';
import { type Frame, frameAt } from '../../game/history/frame.ts';
import type { History, MemberShot } from '../../game/history/history.ts';
import { INK, label, picture, tag } from './svg.ts';

const STAGE = { width: 800, height: 560 };
const GLYPHS = { leader: '♛', candidate: '…', follower: '', none: '–' } as const;

/** The stage at one moment. */
export function stageSvg(history: History, protocol: string, ms: number): string {
  const frame = frameAt(history, ms);
  const layout = layOut(history.members, STAGE.width, STAGE.height - 40);
  const leaders = frame.claiming.map(({ member, term }) =>
    term === null ? `${member}` : `${member} (${term})`,
  );
  const said = `${protocol}, ${(ms / 1000).toFixed(2)} s: ${leaders.length === 0 ? 'no leader' : `${leaders.join(' and ')} ${leaders.length > 1 ? 'lead' : 'leads'}`}`;
  const body =
    links(layout, frame) +
    frame.flights.map((flight) => dot(flight, protocol, flightPoint(layout, flight, ms, false))).join('') +
    frame.members.map((shot) => disc(layout, shot)).join('') +
    label(16, STAGE.height - 16, said, { 'font-size': 15 });
  return picture(STAGE.width, STAGE.height, said, body);
}

function links(layout: Layout, { blocked }: Frame): string {
  const { ids, places } = layout;
  const parts: string[] = [];
  ids.forEach((from, i) => {
    for (const to of ids.slice(i + 1)) {
      const [there, back] = [!blocked.has(`${from}>${to}`), !blocked.has(`${to}>${from}`)];
      const [a, b] = [places.get(from)!, places.get(to)!];
      if (there && back) parts.push(line(a, b, INK.line, {}));
      else if (there || back) {
        const way = there ? lane(layout, from, to) : lane(layout, to, from);
        if (way === null) continue;
        const [start, end] = way;
        parts.push(line(start, end, INK['--claim'], { 'stroke-dasharray': '6 4' }));
        parts.push(tag('circle', { cx: end.x, cy: end.y, r: 4, fill: INK['--claim'] }));
      }
    }
  });
  return parts.join('');
}

function line(a: Point, b: Point, stroke: string, more: Readonly<Record<string, string | number>>): string {
  return tag('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke, 'stroke-width': 1.5, ...more });
}

function disc(layout: Layout, { id, alive, paused, role, term, leader }: MemberShot): string {
  const { x, y } = layout.places.get(id)!;
  const leads = alive && role === 'leader';
  const stroke = leads ? INK.leader : INK.text;
  const dashes: Record<string, string> = alive && role !== 'candidate' ? {} : { 'stroke-dasharray': '4 3' };
  const circle = tag('circle', {
    cx: x,
    cy: y,
    r: layout.disc,
    fill: alive ? INK.ground : INK.line,
    stroke,
    'stroke-width': leads ? 4 : 1.8,
    ...dashes,
  });
  const mark = !alive ? '✕' : paused ? '‖' : GLYPHS[role];
  const middle = { 'text-anchor': 'middle' };
  const below = !alive
    ? 'down'
    : `${leads ? 'leader' : (leader ?? 'none')}${term === null ? '' : ` · ${term}`}`;
  return (
    circle +
    label(x, y + 5, `${mark} ${id}`.trim(), {
      ...middle,
      'font-weight': 700,
      'font-size': Math.max(9, layout.disc * 0.55),
    }) +
    (layout.disc < 14 ? '' : label(x, y + layout.disc + 15, below, { ...middle, fill: INK.quiet }))
  );
}

function dot(flight: Flight, protocol: string, at: Point | null): string {
  if (at === null) return '';
  const look = LOOKS[kindOf(flight.message, protocol)];
  const colour = INK[look.colour as '--vote'] ?? INK.quiet;
  const circle = tag('circle', {
    cx: at.x,
    cy: at.y,
    r: 8,
    fill: INK.ground,
    stroke: colour,
    'stroke-width': 2.5,
  });
  return (
    circle + label(at.x, at.y + 4, look.letter, { 'text-anchor': 'middle', 'font-size': 11, fill: colour })
  );
}

const LANE = 44;
const LEFT = 60;
const WIDTH = 1200;
/** Up to here each arrow bears the letter of its kind. */
const MOST_LETTERS = 600;
/** More arrows than this are a black field. */
const MOST_ARROWS = 4000;

/** The lanes of all members from one moment to another, messages as arrows, leaderships as bars. */
export function spaceTimeSvg(history: History, protocol: string, fromMs: number, toMs: number): string {
  const { members } = history;
  const height = LANE * members.length + 60;
  const x = (ms: number): number => LEFT + ((ms - fromMs) / Math.max(1, toMs - fromMs)) * (WIDTH - LEFT - 20);
  const y = (id: unknown): number => 30 + LANE * (members.indexOf(id as never) + 0.5);
  const flights = history.flights.between(fromMs, toMs);
  const title = `${protocol}, ${(fromMs / 1000).toFixed(2)} s to ${(toMs / 1000).toFixed(2)} s`;
  const lanes = members.map(
    (id) =>
      line({ x: LEFT, y: y(id) }, { x: WIDTH - 20, y: y(id) }, INK.line, {}) +
      label(12, y(id) + 5, String(id), { 'font-weight': 700 }),
  );
  const bars = history.claims
    .filter(({ fromUs, toUs }) => fromUs / 1000 < toMs && (toUs === null || toUs / 1000 > fromMs))
    .map(({ member, fromUs, toUs, term }) => {
      const left = x(Math.max(fromMs, fromUs / 1000));
      const right = x(Math.min(toMs, toUs === null ? toMs : toUs / 1000));
      const bar = tag('rect', {
        x: left,
        y: y(member) - 7,
        width: right - left,
        height: 14,
        fill: '#f0e442',
        stroke: INK.leader,
      });
      return (
        bar +
        (right - left < 24 ? '' : label(left + 4, y(member) - 10, `♛ ${term ?? ''}`, { 'font-size': 10 }))
      );
    });
  const arrows = flights
    .slice(0, MOST_ARROWS)
    .map((flight) => arrow(flight, protocol, x, y, flights.length <= MOST_LETTERS));
  const marks = history.entries.slice(history.countAt(fromMs), history.countAt(toMs)).map((entry) => {
    if (entry.kind !== 'event' || entry.event.member === undefined) return '';
    return label(x(entry.atMs) - 4, y(entry.event.member) - 9, entry.event.do, {
      'font-size': 9,
      fill: INK.alarm,
    });
  });
  const told =
    flights.length > MOST_ARROWS
      ? `${title}; only ${MOST_ARROWS} of ${flights.length} messages are drawn`
      : title;
  const body =
    lanes.join('') +
    bars.join('') +
    arrows.join('') +
    marks.join('') +
    label(LEFT, 18, told, { fill: INK.quiet });
  return picture(
    WIDTH,
    height,
    told,
    body + label(LEFT, height - 8, legend(flights, protocol), { fill: INK.quiet }),
  );
}

function arrow(
  flight: Flight,
  protocol: string,
  x: (ms: number) => number,
  y: (id: unknown) => number,
  hasLetter: boolean,
): string {
  const { from, to, sentMs, endMs, fate } = flight;
  const look = LOOKS[kindOf(flight.message, protocol)];
  const stroke = INK[look.colour as '--vote'] ?? INK.quiet;
  const isLost = fate !== 'arriving';
  const part = isLost ? 0.5 : 1;
  const end = { x: x(endMs), y: y(from) + (y(to) - y(from)) * part };
  const more: Record<string, string | number> = { 'stroke-width': 1 };
  if (isLost) more['stroke-dasharray'] = '3 3';
  const head = isLost
    ? label(end.x - 4, end.y + 4, '×', { fill: stroke })
    : tag('circle', { cx: end.x, cy: end.y, r: 2, fill: stroke });
  const start = { x: x(sentMs), y: y(from) };
  const middle = between(start, end, 0.35);
  const letter = {
    'font-size': 10,
    fill: stroke,
    stroke: INK.ground,
    'stroke-width': 3,
    'paint-order': 'stroke',
  };
  return (
    line(start, end, stroke, more) + head + (hasLetter ? label(middle.x, middle.y, look.letter, letter) : '')
  );
}

function legend(flights: readonly Flight[], protocol: string): string {
  const kinds = new Set<Kind>(flights.map(({ message }) => kindOf(message, protocol)));
  return [...kinds].map((kind) => `${LOOKS[kind].letter}: ${LOOKS[kind].name}`).join('   ');
}
