import type { MemberId } from '../../../../src/core/index.ts';
import { explained } from '../../../../src/protocols/explained.ts';
import type { History, MemberShot, TimerShot } from './history.ts';

/** The names that protocols give to the timers after which a member reacts to a missing leader. */
const WAITS: readonly string[] = Object.values(explained).flatMap(({ waits }) => waits);
const BEATS: readonly string[] = Object.values(explained).flatMap(({ beats }) => beats);

/** The most important timer of a member. */
export function mainTimer(history: History, shot: MemberShot, ms: number): TimerShot | null {
  if (!shot.alive) return null;
  const tracks = history.timers.get(shot.id);
  const { waits = [], beats = [] } = explained[history.protocol] ?? {};
  for (const name of shot.role === 'leader' ? [...beats, ...waits] : [...waits, ...beats]) {
    const timer = tracks?.get(name)?.at(ms);
    if (timer && timer.dueMs > ms) return timer;
  }
  return null;
}

/** The timer up to which a leader may act, where it has a lease. */
export function leaseTimer(history: History, shot: MemberShot, ms: number): TimerShot | null {
  return shot.alive ? history.leaseAt(shot, ms) : null;
}

/** The elapsed part, from 0 to 1. */
export function partOver({ setMs, dueMs }: TimerShot, ms: number): number {
  return dueMs <= setMs ? 1 : Math.min(1, Math.max(0, (ms - setMs) / (dueMs - setMs)));
}

/** All timers that run, the main one first. */
export function timersOf(history: History, shot: MemberShot, ms: number): TimerShot[] {
  const main = mainTimer(history, shot, ms);
  if (!shot.alive) return [];
  const others = history.timersAt(shot.id, ms).filter((each) => each.timer !== main?.timer);
  return main === null ? others : [main, ...others];
}

export function timerWord(name: string): string {
  if (WAITS.includes(name)) return 'wait';
  return BEATS.includes(name) ? 'keep-alive' : name;
}

/** Members that wait to become candidates, each with the timer to fire. */
export function waiting(
  history: History,
  members: readonly MemberShot[],
  ms: number,
): { member: MemberId; timer: TimerShot }[] {
  const found: { member: MemberId; timer: TimerShot }[] = [];
  for (const shot of members) {
    const timer = shot.role === 'leader' || shot.paused ? null : mainTimer(history, shot, ms);
    if (timer !== null && WAITS.includes(timer.name)) found.push({ member: shot.id, timer });
  }
  return found;
}
