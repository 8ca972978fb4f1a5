/**
 * Requests and their answers. Every request has its own timeout, so a round of questions is over when none of its
 * kind is left. "In production, limit the number of concurrent connections" (seed 003): at most `maxInFlight` of
 * them await an answer at once; the next one leaves when an earlier one was answered or timed out.
 */
import type { MemberId } from '../../core/index.ts';
import type { Request } from './messages.ts';
import type { Rules } from './settings.ts';
import type { Out, State, Timer } from './state.ts';

type Kind = Request['type'];

/** Sends the request now, or when there is room. If it is asked again before the answer, it is sent again. */
export function ask(s: State, to: MemberId, message: Request, rules: Rules, out: Out): void {
  unqueue(s, message.type, to);
  if (isFlying(s, message.type, to) || s.flying.length < rules.maxInFlight)
    launch(s, to, message, rules, out);
  else s.queue.push({ to, message });
}

/** Is a request of this kind still open? */
export function isAsking(s: State, kind: Kind): boolean {
  return s.flying.some(({ type }) => type === kind) || s.queue.some(({ message }) => message.type === kind);
}

export function isFlying(s: State, kind: Kind, to: MemberId): boolean {
  return s.flying.some((each) => each.type === kind && each.to === to);
}

/** The answer has arrived (to an earlier request, if this one has not left yet): its slot is free for the next. */
export function land(s: State, to: MemberId, kind: Kind, rules: Rules, out: Out): void {
  unqueue(s, kind, to);
  if (!isFlying(s, kind, to)) return;
  out.push({ type: 'cancel-timer', timer: timerOf(kind, to) });
  release(s, to, kind, rules, out);
}

/** The request whose time is up, if this is its timer. */
export function takeOverdue(s: State, timer: Timer, rules: Rules, out: Out): State['flying'][number] | null {
  const overdue = s.flying.find(({ type, to }) => timerOf(type, to) === timer);
  if (overdue === undefined) return null;
  release(s, overdue.to, overdue.type, rules, out);
  return overdue;
}

/** These requests no longer matter. */
export function forget(s: State, kinds: readonly Kind[], rules: Rules, out: Out): void {
  s.queue = s.queue.filter(({ message }) => !kinds.includes(message.type));
  for (const { type, to } of s.flying) {
    if (kinds.includes(type)) out.push({ type: 'cancel-timer', timer: timerOf(type, to) });
  }
  s.flying = s.flying.filter(({ type }) => !kinds.includes(type));
  launchNext(s, rules, out);
}

/** A change of role: no earlier request matters, and none that waited may still leave. */
export function forgetAll(s: State, out: Out): void {
  for (const { type, to } of s.flying) out.push({ type: 'cancel-timer', timer: timerOf(type, to) });
  s.flying = [];
  s.queue = [];
}

function unqueue(s: State, kind: Kind, to: MemberId): void {
  if (s.queue.length > 0) s.queue = s.queue.filter((each) => each.to !== to || each.message.type !== kind);
}

function launch(s: State, to: MemberId, message: Request, rules: Rules, out: Out): void {
  const { type } = message;
  if (!isFlying(s, type, to)) s.flying.push({ type, to });
  out.push({ type: 'send', to, message });
  // A member that is asked about the leader checks it first, with all retries of a check.
  const delayMs = type === 'leader-gone' ? (rules.tolerance + 2) * rules.waitMs : rules.waitMs;
  out.push({ type: 'set-timer', timer: timerOf(type, to), delayMs });
}

function release(s: State, to: MemberId, kind: Kind, rules: Rules, out: Out): void {
  s.flying = s.flying.filter((each) => each.type !== kind || each.to !== to);
  launchNext(s, rules, out);
}

function launchNext(s: State, rules: Rules, out: Out): void {
  while (s.queue.length > 0 && s.flying.length < rules.maxInFlight) {
    const next = s.queue.shift()!;
    launch(s, next.to, next.message, rules, out);
  }
}

function timerOf(kind: Kind, to: MemberId): Timer {
  return `${kind} ${to}`;
}
