import type { MemberId } from '../../../../src/core/index.ts';

/** The geometry of the picture: the visible part of a run, and its scale. */
export interface View {
  readonly fromMs: number;
  readonly pxPerMs: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** How far the lanes are scrolled up. */
  readonly scrollPx: number;
  readonly lanePx: number;
  readonly lanes: ReadonlyMap<MemberId, number>;
}

/** The column of names, and the rows of times and of marks above the lanes. */
export const LABEL_PX = 52;
export const AXIS_PX = 24;
export const TOP_PX = 46;
const LANE_PX: readonly [least: number, most: number] = [16, 48];

export function laneHeight(heightPx: number, members: number): number {
  const room = (heightPx - TOP_PX) / Math.max(1, members);
  return Math.max(LANE_PX[0], Math.min(LANE_PX[1], room));
}

export function xOf(view: View, ms: number): number {
  return LABEL_PX + (ms - view.fromMs) * view.pxPerMs;
}

export function msAt(view: View, x: number): number {
  return view.fromMs + (x - LABEL_PX) / view.pxPerMs;
}

/** The middle of a member's lane. A member without one is above them all. */
export function yOf(view: View, id: MemberId): number {
  const lane = view.lanes.get(id) ?? -1;
  return TOP_PX + (lane + 0.5) * view.lanePx - view.scrollPx;
}

export function toMs(view: View): number {
  return msAt(view, view.widthPx);
}

/** Can anything of a lane be seen? */
export function isInSight(view: View, id: MemberId): boolean {
  const y = yOf(view, id);
  return y + view.lanePx / 2 > TOP_PX && y - view.lanePx / 2 < view.heightPx;
}

/** The member whose lane is at that height. */
export function laneAt(view: View, y: number): MemberId | null {
  if (y < TOP_PX) return null;
  const lane = Math.floor((y - TOP_PX + view.scrollPx) / view.lanePx);
  for (const [id, at] of view.lanes) if (at === lane) return id;
  return null;
}
