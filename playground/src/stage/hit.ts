import type { MemberId } from '../../../src/core/index.ts';
import { flightPoint, type Layout, type Point } from '../draw/layout.ts';
import type { Flight } from '../game/history/flights.ts';

/** What is under the pointer. For a link, `from` is the nearer end. */
export type Target =
  | { readonly kind: 'member'; readonly id: MemberId }
  | { readonly kind: 'flight'; readonly flight: Flight }
  | { readonly kind: 'link'; readonly from: MemberId; readonly to: MemberId };

export interface Sight {
  readonly layout: Layout;
  readonly flights: readonly Flight[];
  readonly ms: number;
  readonly isStill: boolean;
}

/** The tolerance in pixels: a finger is less exact than a mouse. */
export const REACH = { fine: 6, coarse: 18 } as const;

/** What is there: a member before a message before a link. */
export function hit(sight: Sight, at: Point, reach: number): Target | null {
  return memberAt(sight.layout, at, reach) ?? flightAt(sight, at, reach) ?? linkAt(sight.layout, at, reach);
}

function memberAt({ places, disc }: Layout, at: Point, reach: number): Target | null {
  let nearest = disc + Math.min(reach, disc);
  let found: Target | null = null;
  for (const [id, place] of places) {
    const away = Math.hypot(place.x - at.x, place.y - at.y);
    if (away > nearest) continue;
    nearest = away;
    found = { kind: 'member', id };
  }
  return found;
}

function flightAt({ layout, flights, ms, isStill }: Sight, at: Point, reach: number): Target | null {
  let nearest = layout.dot + reach;
  let found: Target | null = null;
  for (const flight of flights) {
    const point = flightPoint(layout, flight, ms, isStill);
    if (point === null) continue;
    const away = Math.hypot(point.x - at.x, point.y - at.y);
    if (away > nearest) continue;
    nearest = away;
    found = { kind: 'flight', flight };
  }
  return found;
}

function linkAt({ ids, places }: Layout, at: Point, reach: number): Target | null {
  let nearest = reach;
  let found: Target | null = null;
  for (let i = 0; i < ids.length; i++) {
    const a = places.get(ids[i]!)!;
    for (let j = i + 1; j < ids.length; j++) {
      const b = places.get(ids[j]!)!;
      const [away, part] = toSegment(at, a, b);
      if (away > nearest) continue;
      nearest = away;
      const [from, to] = part <= 0.5 ? [ids[i]!, ids[j]!] : [ids[j]!, ids[i]!];
      found = { kind: 'link', from, to };
    }
  }
  return found;
}

/** How far a point is from a line between two others, and how far along. */
function toSegment(p: Point, a: Point, b: Point): [away: number, part: number] {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const part = Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy || 1)));
  return [Math.hypot(a.x + part * dx - p.x, a.y + part * dy - p.y), part];
}
