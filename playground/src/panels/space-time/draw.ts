import { countFlights, drawArrows, drawDensity, MOST_ARROWS } from './draw-flights.ts';
import { drawBars, drawLanes } from './draw-lanes.ts';
import { drawGrid, drawNames, drawTop } from './draw-marks.ts';
import type { Pen, Scene, Stroke } from './scene.ts';
import { LABEL_PX, TOP_PX, xOf, yOf } from './view.ts';

interface Drawn {
  readonly strokes: readonly Stroke[];
  /** What is not drawn individually, in words; empty if everything is. */
  readonly note: string;
}

/** Draws everything that can be seen of a run between two moments. */
export function draw(pen: Pen, scene: Scene): Drawn {
  const { view } = scene;
  pen.clearRect(0, 0, view.widthPx, view.heightPx);
  pen.textBaseline = 'alphabetic';
  drawGrid(pen, scene);
  pen.save();
  pen.beginPath();
  pen.rect(LABEL_PX - 2, TOP_PX, view.widthPx, view.heightPx);
  pen.clip();
  drawLanes(pen, scene);
  drawBars(pen, scene);
  const count = countFlights(scene);
  const isDense = count > MOST_ARROWS;
  let strokes: readonly Stroke[] = [];
  if (isDense) drawDensity(pen, scene);
  else strokes = drawArrows(pen, scene);
  drawChosen(pen, scene);
  pen.restore();
  drawTop(pen, scene);
  drawNames(pen, scene);
  const note = isDense
    ? `${count} messages here: only how many each lane sends is drawn. Zoom in for arrows.`
    : '';
  return { strokes, note };
}

/** A ring around the step that is selected. */
function drawChosen(pen: Pen, { view, history, selection, palette }: Scene): void {
  if (selection?.kind !== 'entry') return;
  const entry = history.entries[selection.index];
  if (entry?.kind !== 'step') return;
  pen.strokeStyle = palette['--accent']!;
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(xOf(view, entry.atMs), yOf(view, entry.member), 8, 0, 2 * Math.PI);
  pen.stroke();
}
