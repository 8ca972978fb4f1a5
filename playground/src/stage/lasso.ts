import type { MemberId } from '../../../src/core/index.ts';
import type { Layout, Point } from '../draw/layout.ts';

/** Members inside a loop drawn by hand; its end is joined to its beginning. */
export function enclosed({ ids, places }: Layout, loop: readonly Point[]): MemberId[] {
  return loop.length < 3 ? [] : ids.filter((id) => isInside(places.get(id)!, loop));
}

/** A ray to the right crosses the edge of a shape an odd number of times from inside. */
function isInside({ x, y }: Point, loop: readonly Point[]): boolean {
  let inside = false;
  let b = loop.at(-1)!;
  for (const a of loop) {
    if (a.y > y !== b.y > y && x < a.x + ((b.x - a.x) * (y - a.y)) / (b.y - a.y)) inside = !inside;
    b = a;
  }
  return inside;
}
