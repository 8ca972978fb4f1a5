import type { Layout } from './layout.ts';

/** A higher density would cost a lot and show little. */
const MOST_DENSITY = 2;

/** Resizes a canvas to its place, in the screen's own pixels, and returns its context. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  { width, height }: Layout,
  density: number,
): CanvasRenderingContext2D {
  const scale = Math.min(density, MOST_DENSITY);
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  // Setting the size empties a canvas, even if it is the same.
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext('2d')!;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}
