import type { Palette } from '../../draw/palette.ts';
import type { Flight } from '../../game/history/flights.ts';
import type { EventEntry, History } from '../../game/history/history.ts';
import type { Selection } from '../../game/selection.ts';
import type { Fork } from './forks.ts';
import type { View } from './view.ts';

/** All that a picture is drawn from. */
export interface Scene {
  readonly view: View;
  readonly history: History;
  readonly headMs: number;
  readonly protocol: string;
  readonly palette: Palette;
  readonly selection: Selection | null;
  readonly cause: { readonly entries: ReadonlySet<number>; readonly flights: ReadonlySet<number> } | null;
  readonly orders: readonly EventEntry[];
  /** Where the branch that is shown and others part. */
  readonly forks: readonly Fork[];
}

export type Pen = CanvasRenderingContext2D;

export const FONT = '12px system-ui, sans-serif';
export const SMALL_FONT = '11px system-ui, sans-serif';

/** A message as it was drawn, so that it can be found under a finger. */
export interface Stroke {
  readonly flight: Flight;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}
