import type { Point } from '../draw/layout.ts';
import { REACH, type Target } from './hit.ts';

/** What a pointer means on the stage. */
export interface PointerCalls {
  readonly find: (at: Point, reach: number) => Target | null;
  readonly member: (id: string) => Target | null;
  readonly choose: (target: Target | null, isAlt: boolean) => void;
  /** A double click. */
  readonly toggle: (target: Target) => void;
  /** A long press, or the other button: selects it and goes to its buttons. */
  readonly menu: (target: Target | null) => void;
  readonly hover: (target: Target | null) => void;
  /** A loop is being drawn; null when it is cancelled. */
  readonly loop: (points: readonly Point[] | null) => void;
  readonly split: (points: readonly Point[]) => void;
  /** May a finger draw? Otherwise it scrolls the page. */
  readonly isFingerDrawing: () => boolean;
}

/** From this distance on it is a drag, not an unsteady click. */
const DRAG_PX = 8;
const LONG_PRESS_MS = 500;

export function watchPointer(box: HTMLElement, calls: PointerCalls): () => void {
  let start: Point | null = null;
  let isOnMember = false;
  let isDrawing = false;
  /** The pointer events were already handled when the click comes. */
  let isDone = false;
  let points: Point[] = [];
  let press: ReturnType<typeof setTimeout> | undefined;

  const local = (event: MouseEvent): Point => {
    const { left, top } = box.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const reachOf = (event: MouseEvent): number =>
    (event as PointerEvent).pointerType === 'touch' ? REACH.coarse : REACH.fine;
  const targetOf = (event: MouseEvent): Target | null => {
    const id = (event.target as Element).closest<SVGElement>('[data-member]')?.dataset.member;
    return id === undefined ? calls.find(local(event), reachOf(event)) : calls.member(id);
  };
  const isControl = (event: Event): boolean => (event.target as Element).closest('[data-control]') !== null;
  const stop = (): void => {
    clearTimeout(press);
    start = null;
    isDrawing = false;
  };

  const on: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void } = {
    pointerdown(event) {
      isDone = false;
      if (event.button !== 0 || !event.isPrimary || isControl(event)) return;
      const target = targetOf(event);
      start = local(event);
      points = [start];
      isOnMember = target?.kind === 'member';
      if (event.pointerType !== 'touch' || calls.isFingerDrawing()) return;
      press = setTimeout(() => {
        stop();
        isDone = true;
        calls.menu(target);
      }, LONG_PRESS_MS);
    },
    pointermove(event) {
      if (start === null) {
        if (event.pointerType === 'mouse') calls.hover(isControl(event) ? null : targetOf(event));
        return;
      }
      const at = local(event);
      if (!isDrawing && Math.hypot(at.x - start.x, at.y - start.y) < DRAG_PX) return;
      clearTimeout(press);
      if (isOnMember || (event.pointerType === 'touch' && !calls.isFingerDrawing())) return;
      if (!isDrawing) box.setPointerCapture(event.pointerId);
      isDrawing = true;
      points = [...points, at];
      calls.loop(points);
    },
    pointerup() {
      if (isDrawing) {
        isDone = true;
        calls.loop(null);
        calls.split(points);
      }
      stop();
    },
    pointercancel() {
      if (isDrawing) calls.loop(null);
      stop();
    },
    pointerleave() {
      calls.hover(null);
    },
    click(event) {
      if (isControl(event)) return;
      if (!isDone) calls.choose(targetOf(event), event.altKey);
      isDone = false;
    },
    dblclick(event) {
      const target = isControl(event) ? null : targetOf(event);
      if (target !== null) calls.toggle(target);
    },
    contextmenu(event) {
      if (isControl(event)) return;
      event.preventDefault();
      calls.menu(targetOf(event));
    },
  };
  const listeners = Object.entries(on) as [string, EventListener][];
  for (const [type, listener] of listeners) box.addEventListener(type, listener);
  return () => {
    stop();
    for (const [type, listener] of listeners) box.removeEventListener(type, listener);
  };
}
