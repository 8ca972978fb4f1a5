/**
 * Requests and their answers. Every request has its own time-out, so a round of questions is over when none of its
 * kind is left. "In production, limit the number of concurrent connections" (seed 003): at most `maxInFlight` of
 * them await an answer at once; the next one leaves when an earlier one was answered or timed out.
 */
import type { MemberId } from '../../core/index.ts';
import type { Request } from './messages.ts';
import type { State, Timer, Turn } from './state.ts';

type Kind = Request['type'];

/** Sends the request now, or when there is room. Asked again before the answer, it is sent again. */
export function ask(turn: Turn, to: MemberId, message: Request): void {
  const { s, rules } = turn;
  unqueue(s, message.type, to);
  if (isFlying(s, message.type, to) || s.flying.length < rules.maxInFlight) launch(turn, to, message);
  else s.queue.push({ to, message });
}

/** Is a question of this kind still open? */
export function isAsking(s: State, kind: Kind): boolean {
  return s.flying.some(({ type }) => type === kind) || s.queue.some(({ message }) => message.type === kind);
}

export function isFlying(s: State, kind: Kind, to: MemberId): boolean {
  return s.flying.some((each) => each.type === kind && each.to === to);
}

/** The answer is here (to an earlier request, if this one has not left yet): its place is free for the next. */
export function land(turn: Turn, to: MemberId, kind: Kind): void {
  unqueue(turn.s, kind, to);
  if (!isFlying(turn.s, kind, to)) return;
  turn.out.push({ type: 'cancel-timer', timer: timerOf(kind, to) });
  release(turn, to, kind);
}

/** The request whose time is up, if this is its timer. */
export function takeOverdue(turn: Turn, timer: Timer): State['flying'][number] | null {
  const overdue = turn.s.flying.find(({ type, to }) => timerOf(type, to) === timer);
  if (overdue === undefined) return null;
  release(turn, overdue.to, overdue.type);
  return overdue;
}

/** These questions matter no longer. */
export function forget(turn: Turn, ...kinds: readonly Kind[]): void {
  const { s, out } = turn;
  s.queue = s.queue.filter(({ message }) => !kinds.includes(message.type));
  for (const { type, to } of s.flying) {
    if (kinds.includes(type)) out.push({ type: 'cancel-timer', timer: timerOf(type, to) });
  }
  s.flying = s.flying.filter(({ type }) => !kinds.includes(type));
  launchNext(turn);
}

/** A change of role: no question of before matters, and none that waited may still leave. */
export function forgetAll({ s, out }: Turn): void {
  for (const { type, to } of s.flying) out.push({ type: 'cancel-timer', timer: timerOf(type, to) });
  s.flying = [];
  s.queue = [];
}

function unqueue(s: State, kind: Kind, to: MemberId): void {
  if (s.queue.length > 0) s.queue = s.queue.filter((each) => each.to !== to || each.message.type !== kind);
}

function launch(turn: Turn, to: MemberId, message: Request): void {
  const { s, out, rules } = turn;
  const { type } = message;
  if (!isFlying(s, type, to)) s.flying.push({ type, to });
  out.push({ type: 'send', to, message });
  // Whoever is asked about the leader first looks for itself, as often as a check is repeated.
  const delayMs = type === 'leader-gone' ? (rules.tolerance + 2) * rules.waitMs : rules.waitMs;
  out.push({ type: 'set-timer', timer: timerOf(type, to), delayMs });
}

function release(turn: Turn, to: MemberId, kind: Kind): void {
  const { s } = turn;
  s.flying = s.flying.filter((each) => each.type !== kind || each.to !== to);
  launchNext(turn);
}

function launchNext(turn: Turn): void {
  const { s, rules } = turn;
  while (s.queue.length > 0 && s.flying.length < rules.maxInFlight) {
    const next = s.queue.shift()!;
    launch(turn, next.to, next.message);
  }
}

function timerOf(kind: Kind, to: MemberId): Timer {
  return `${kind} ${to}`;
}
