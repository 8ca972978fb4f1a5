import type { MemberId } from '../../../../src/core/index.ts';
import { type History, openAt } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';
import type { Selection } from '../../game/selection.ts';
import { APART_PX, FORK_PX } from './draw-marks.ts';
import type { Scene, Stroke } from './scene.ts';
import { AXIS_PX, LABEL_PX, laneAt, msAt, TOP_PX, xOf } from './view.ts';

const NEAR_PX = 7;

/** What is under the pointer: something to select, a branch to go to, a moment to go to. */
export type Hit =
  | { readonly what: 'select'; readonly selection: Selection; readonly atMs: number | null }
  | { readonly what: 'branch'; readonly id: number }
  | { readonly what: 'moment'; readonly ms: number };

export function hitAt(scene: Scene, strokes: readonly Stroke[], x: number, y: number): Hit {
  const { view, history } = scene;
  const ms = msAt(view, x);
  const member = laneAt(view, y);
  if (x < LABEL_PX - 2) {
    if (member === null) return { what: 'moment', ms: Math.max(0, ms) };
    return { what: 'select', selection: { kind: 'member', id: member }, atMs: null };
  }
  if (y < AXIS_PX) return { what: 'moment', ms };
  if (y < TOP_PX) return hitMark(scene, x) ?? { what: 'moment', ms };
  const stroke = nearest(strokes, x, y);
  if (stroke !== null) {
    const index = history.flights.placeOf(stroke.flight);
    return { what: 'select', selection: { kind: 'flight', index }, atMs: null };
  }
  const claim =
    member === null ? undefined : openAt(history.claims, ms).find((each) => each.member === member);
  if (claim !== undefined) {
    const index = beginning(history, claim.fromUs / 1000, claim.member);
    if (index >= 0) return { what: 'select', selection: { kind: 'entry', index }, atMs: null };
  }
  return { what: 'moment', ms };
}

function hitMark({ view, history, orders, forks }: Scene, x: number): Hit | null {
  const isNear = (ms: number): boolean => Math.abs(xOf(view, ms) - x) < APART_PX;
  const fork = forks.find(({ atMs }) => {
    const beside = x - xOf(view, atMs);
    return beside >= FORK_PX[0] && beside <= FORK_PX[1];
  });
  if (fork !== undefined) return { what: 'branch', id: fork.id };
  const violation = history.violations.find((each) => isNear(each.atMs));
  if (violation !== undefined) {
    const index = history.countAt(violation.atMs) - 1;
    return { what: 'select', selection: { kind: 'entry', index }, atMs: violation.atMs };
  }
  const order = orders.find((each) => isNear(each.atMs));
  if (order !== undefined) {
    return { what: 'select', selection: { kind: 'entry', index: order.index }, atMs: order.atMs };
  }
  return null;
}

function nearest(strokes: readonly Stroke[], x: number, y: number): Stroke | null {
  let best: Stroke | null = null;
  let least = NEAR_PX;
  for (const stroke of strokes) {
    const distance = distanceTo(stroke, x, y);
    if (distance < least) [best, least] = [stroke, distance];
  }
  return best;
}

function distanceTo({ x1, y1, x2, y2 }: Stroke, x: number, y: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - part * dx, y - y1 - part * dy);
}

/** The last step of a member by then: a claim may have waited for the disk. */
function beginning(history: History, ms: number, member: MemberId): number {
  for (let i = countUpTo(history.entriesMs, ms) - 1; i >= 0; i--) {
    const entry = history.entries[i]!;
    if (entry.kind === 'step' && entry.member === member) return i;
  }
  return -1;
}
