/**
 * What both ring protocols need of a network: passing a message to the next live member.
 *
 * The seeds ask an oracle (`isAlive()`) which members live. A member has none, so "alive" means "acknowledged in
 * time": a message is offered to the next member; without an `ack` within T, after `missedHeartbeatTolerance`
 * retries, the one after it is tried. If all the others are silent, the next live member is oneself, as in the seed's
 * `findNextInstance`.
 *
 * One message is in flight at a time and the others wait behind it, so each link keeps its order. A receiver
 * acknowledges every copy and processes the first. An `ack` that was lost or late still splits a message in two, one
 * at the member that was skipped and one after it: the elections must tolerate that.
 */
import {
  clonePlain,
  durationMs,
  type Effect,
  integer,
  type MemberId,
  type Message,
  natural,
  type Setting,
  type Shape,
  setting,
} from '../core/index.ts';

/** Distinguishes the copies of one message from the next message, also after its sender restarted. */
export interface Slip {
  readonly incarnation: number;
  readonly sequence: number;
}

export type Passed<B extends Message> = B & Slip;
export type Ack = { readonly type: 'ack' } & Slip;

/** The fields of a slip, for the shapes of messages. */
export const slip: { readonly [K in keyof Slip]: Shape<number> } = {
  incarnation: natural,
  sequence: natural,
};

interface Queued<B> {
  readonly body: B;
  /** Its subject: of waiting messages about the same subject, only the latest is kept. */
  readonly about: string;
  /** The member to which it is offered last. */
  readonly last: MemberId;
}

export interface Passing<B> {
  incarnation: number;
  /** The number of the newest message that was offered. */
  sequence: number;
  /** The first one is in flight. */
  queue: Queued<B>[];
  /** How many places ahead the member is to which it is offered, and how often that was retried. */
  place: number;
  missed: number;
  /** Messages that came back to oneself in this step. */
  returned: B[];
  /** The newest message processed from each member. */
  heard: Record<string, Slip>;
}

/** What a member of a ring keeps, in either protocol. */
export interface Seat<B> {
  readonly id: MemberId;
  /** The members in the order of the ring. */
  readonly ring: readonly MemberId[];
  readonly passing: Passing<B>;
}

export interface PassingRules {
  /** "T: time to detect processes that are down, calculated as 2 * t_max + t_process" (seed 001). */
  readonly answerMs: number;
  readonly tolerance: number;
}

/**
 * The type of the effect list, limited to what is pushed here, so that a protocol with more messages can pass its own
 * list.
 */
interface Out<B extends Message> {
  push(effect: Effect<Passed<B> | Ack, 'ack'>): unknown;
}

export const passingTiming: {
  readonly maxTransmissionMs: Setting<number>;
  readonly maxProcessingMs: Setting<number>;
} = {
  maxTransmissionMs: setting(
    durationMs,
    20,
    't_max, the longest a message travels; T = 2 · t_max + t_process is the wait for an answer',
  ),
  maxProcessingMs: setting(durationMs, 10, 't_process, the longest a member takes over a message'),
};

export const passingOptions: { readonly missedHeartbeatTolerance: Setting<number> } = {
  missedHeartbeatTolerance: setting(
    integer(0, 1000),
    2,
    'a message without an answer is repeated this many times before its receiver counts as dead',
  ),
};

export function passingRules(
  { maxTransmissionMs, maxProcessingMs }: { maxTransmissionMs: number; maxProcessingMs: number },
  { missedHeartbeatTolerance }: { missedHeartbeatTolerance: number },
): PassingRules {
  return { answerMs: 2 * maxTransmissionMs + maxProcessingMs, tolerance: missedHeartbeatTolerance };
}

/** The longest delay of a message by a member that does not answer. */
export function skipMs({ answerMs, tolerance }: PassingRules): number {
  return answerMs * (tolerance + 1);
}

export function noPassing<B>(): Passing<B> {
  return { incarnation: 0, sequence: 0, queue: [], place: 1, missed: 0, returned: [], heard: {} };
}

/** How many places `to` is ahead of `from`; a whole lap from a member to itself. */
export function placesAhead(ring: readonly MemberId[], from: MemberId, to: MemberId): number {
  return ((ring.indexOf(to) - ring.indexOf(from) + ring.length - 1) % ring.length) + 1;
}

/** Passes a message to the next live member; if no other answers, it comes back. */
export function handOn<B extends Message>(s: Seat<B>, body: B, rules: PassingRules, out: Out<B>): void {
  enqueue(s, { body, about: body.type, last: s.id }, rules, out);
}

/** Passes a message to the next live member, no further than to `last`, which it is about. */
export function handOnUpTo<B extends Message>(
  s: Seat<B>,
  body: B,
  last: MemberId,
  rules: PassingRules,
  out: Out<B>,
): void {
  enqueue(s, { body, about: `${body.type} ${last}`, last }, rules, out);
}

/**
 * When acks come late, a message splits repeatedly, and the pieces meet in the queue of a slow member: a waiting
 * message about the same subject is replaced, or the queue would grow with them.
 */
function enqueue<B extends Message>(s: Seat<B>, queued: Queued<B>, rules: PassingRules, out: Out<B>): void {
  const { queue } = s.passing;
  const waiting = queue.findIndex(({ about }, i) => i > 0 && about === queued.about);
  if (waiting > 0) {
    queue[waiting] = queued;
  } else {
    queue.push(queued);
    if (queue.length === 1) startNext(s, rules, out);
  }
}

function startNext<B extends Message>(s: Seat<B>, rules: PassingRules, out: Out<B>): void {
  const { passing } = s;
  passing.sequence += 1;
  passing.place = 1;
  passing.missed = 0;
  sendHead(s, rules, out);
}

function sendHead<B extends Message>(s: Seat<B>, rules: PassingRules, out: Out<B>): void {
  const { queue, returned, incarnation, sequence } = s.passing;
  const { body } = queue[0]!;
  const to = receiver(s);
  if (to === s.id) {
    returned.push(body);
    return endHead(s, rules, out);
  }
  out.push({ type: 'send', to, message: { ...clonePlain(body), incarnation, sequence } });
  out.push({ type: 'set-timer', timer: 'ack', delayMs: rules.answerMs });
}

function receiver<B>({ id, ring, passing }: Seat<B>): MemberId {
  return ring[(ring.indexOf(id) + passing.place) % ring.length]!;
}

function endHead<B extends Message>(s: Seat<B>, rules: PassingRules, out: Out<B>): void {
  const { queue } = s.passing;
  queue.shift();
  out.push({ type: 'cancel-timer', timer: 'ack' });
  if (queue.length > 0) startNext(s, rules, out);
}

/** Messages that came back because no other member answered, one at a time: the step that caused it handles them. */
export function takeReturned<B>({ passing }: Seat<B>): B | undefined {
  return passing.returned.shift();
}

export function onAck<B extends Message>(s: Seat<B>, m: Slip, rules: PassingRules, out: Out<B>): void {
  const { passing } = s;
  if (passing.queue.length === 0) return;
  if (m.incarnation === passing.incarnation && m.sequence === passing.sequence) endHead(s, rules, out);
}

/** The timer `ack` fired: the receiver did not answer in time. */
export function onNoAck<B extends Message>(s: Seat<B>, rules: PassingRules, out: Out<B>): void {
  const { passing } = s;
  const queued = passing.queue[0];
  if (queued === undefined) return;
  if (passing.missed < rules.tolerance) {
    passing.missed += 1;
    return sendHead(s, rules, out);
  }
  if (receiver(s) === queued.last) return endHead(s, rules, out);
  passing.place += 1;
  passing.missed = 0;
  sendHead(s, rules, out);
}

/** Acknowledges a message. True if it must be processed: the first copy, from a member. */
export function sendAck<B extends Message>(s: Seat<B>, from: MemberId, m: Slip, out: Out<B>): boolean {
  const { incarnation, sequence } = m;
  if (from === s.id || !s.ring.includes(from)) return false;
  out.push({ type: 'send', to: from, message: { type: 'ack', incarnation, sequence } });
  const { heard } = s.passing;
  const before = heard[from];
  if (before?.incarnation === incarnation && sequence <= before.sequence) return false;
  heard[from] = { incarnation, sequence };
  return true;
}
