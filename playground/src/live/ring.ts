/** Where the members stand on the ring, the first at the top, in a square whose side is 100. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

const MIDDLE = 50;
const RADIUS = 38;

export function places(count: number): readonly Place[] {
  if (count === 1) return [{ x: MIDDLE, y: MIDDLE }];
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count - Math.PI / 2;
    return { x: MIDDLE + RADIUS * Math.cos(angle), y: MIDDLE + RADIUS * Math.sin(angle) };
  });
}

/** Discs never touch, and are never larger than reads well. */
export function discRadius(count: number): number {
  if (count < 2) return 9;
  return Math.min(9, RADIUS * Math.sin(Math.PI / count) * 0.8);
}

/** A point between two, nearer to the second, so that the labels of links from one member do not overlap. */
export function between(from: Place, to: Place, part = 0.55): Place {
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
