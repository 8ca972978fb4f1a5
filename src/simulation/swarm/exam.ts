import type { WorldEvent } from '../scenario.ts';
import { tidyMs } from '../time.ts';

/** In time-outs: how long somebody is cut off, and how long it then has to find its place again. */
const AWAY = 4;
const BACK = 4;
/** After the last trial all must agree once more. */
const SETTLE = 10;

/** How long the exam takes in all, in time-outs. */
export const EXAM: number = 2 * (AWAY + BACK) + SETTLE;

/** Somebody is cut off from everybody, and comes back. */
export interface Trial {
  readonly fromMs: number;
  readonly backMs: number;
  readonly endMs: number;
}

/** The first trial is for somebody, whoever it is; the second for the leader. */
export function trialsOf(calmMs: number, timeoutMs: number): readonly [Trial, Trial] {
  const trial = (fromMs: number): Trial => ({
    fromMs: tidyMs(fromMs),
    backMs: tidyMs(fromMs + AWAY * timeoutMs),
    endMs: tidyMs(fromMs + (AWAY + BACK) * timeoutMs),
  });
  return [trial(calmMs), trial(calmMs + (AWAY + BACK) * timeoutMs)];
}

export function examEvents(calmMs: number, timeoutMs: number): readonly WorldEvent[] {
  const [first, second] = trialsOf(calmMs, timeoutMs);
  return [
    { atMs: first.fromMs, do: 'cut', from: 'random', to: 'all' },
    { atMs: first.backMs, do: 'heal' },
    { atMs: second.fromMs, do: 'cut', from: 'leader', to: 'all' },
    { atMs: second.backMs, do: 'heal' },
  ];
}
