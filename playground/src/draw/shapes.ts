import type { Look } from './kinds.ts';

/** What a path on a canvas and one in a document have in common. */
interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  closePath(): void;
}

const TURN = 2 * Math.PI;
const UP = -Math.PI / 2;
/** Corners as parts of the radius, so that every shape looks equally large. */
const CORNERS: Readonly<Record<Exclude<Look['shape'], 'circle'>, readonly (readonly [number, number])[]>> = {
  triangle: around(3, 1.25),
  diamond: around(4, 1.2),
  'hollow-diamond': around(4, 1.15),
  square: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  star: around(10, 1.35).map(([x, y], i) => (i % 2 === 0 ? [x, y] : [x * 0.5, y * 0.5])),
  hexagon: around(6, 1.1),
};

function around(count: number, radius: number): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = UP + (i / count) * TURN;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Adds one shape to a path: many shapes of one colour are then filled at once. */
export function addShape(pen: Pen, shape: Look['shape'], x: number, y: number, radius: number): void {
  if (shape === 'circle') {
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, TURN);
    return;
  }
  const corners = CORNERS[shape];
  pen.moveTo(x + corners[0]![0] * radius, y + corners[0]![1] * radius);
  for (let i = 1; i < corners.length; i++)
    pen.lineTo(x + corners[i]![0] * radius, y + corners[i]![1] * radius);
  pen.closePath();
  // A bar marks the hollow shape for visitors who cannot distinguish full from empty.
  if (shape === 'hollow-diamond') {
    pen.moveTo(x - radius * 0.5, y);
    pen.lineTo(x + radius * 0.5, y);
  }
}

/** The same shape as the `d` of an SVG path. */
export function shapePath(shape: Look['shape'], x: number, y: number, radius: number): string {
  const parts: string[] = [];
  addShape(
    {
      moveTo: (px, py) => parts.push(`M${px} ${py}`),
      lineTo: (px, py) => parts.push(`L${px} ${py}`),
      arc: (cx, cy, r) => parts.push(`A${r} ${r} 0 1 1 ${cx - r} ${cy}A${r} ${r} 0 1 1 ${cx + r} ${cy}`),
      closePath: () => parts.push('Z'),
    },
    shape,
    x,
    y,
    radius,
  );
  return parts.join('');
}
