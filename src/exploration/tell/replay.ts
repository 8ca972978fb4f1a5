import { assertNever, canonicalText, type Json, type MemberId, type Message } from '../../core/index.ts';
import type { Cause } from '../model/member.ts';
import type { Told } from './retelling.ts';

type Event = { readonly atMs: number; readonly do: string; readonly [field: string]: Json };

/**
 * The part of a scenario that makes a simulated cluster follow a history: the rest is the protocol and its settings.
 */
export interface Replay {
  readonly network: { readonly latencyMs: number };
  readonly disk: { readonly syncMs: number; readonly isNew: boolean };
  readonly untilMs: number;
  readonly events: readonly Event[];
}

/** The possible durations of one event. The whole history must end before the first timer comes due by itself. */
const STEPS_MS = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
/** A record is durable after this part of a step; a process that dies while saving dies half-way. */
const SYNC_PART = 0.1;
const EVERY_MESSAGE = 1_000_000;

/**
 * Every message is held and released when it is due, and timers are fired explicitly. Null if some timer is too short
 * for that, or would fire at once.
 */
export function replayOf(told: readonly Told[]): Replay | null {
  const starts = told.filter(({ act }) => isFirstStart(act)).length;
  const stepMs = STEPS_MS.find((each) => each * (told.length - starts + 2) < shortestMs(told));
  if (stepMs === undefined) return null;
  const script = new Script(told, stepMs);
  const untilMs = round(stepMs * (told.length - starts + 1));
  return {
    network: { latencyMs: 0 },
    disk: { syncMs: round(stepMs * SYNC_PART), isNew: true },
    untilMs,
    events: script.events,
  };
}

function isFirstStart(act: Told['act']): boolean {
  return act.kind === 'react' && act.cause.type === 'start' && act.cause.incarnation === 1;
}

function shortestMs(told: readonly Told[]): number {
  const delays = told.flatMap(({ reaction }) => reaction?.timers.map(({ delayMs }) => delayMs) ?? []);
  const least = delays
    .filter((delay) => delay !== null)
    .map((delay) => (typeof delay === 'number' ? delay : delay[0]));
  return Math.min(Number.POSITIVE_INFINITY, ...least);
}

/** Virtual time is kept in whole microseconds. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

interface Held {
  readonly link: string;
  readonly text: string;
}

class Script {
  readonly events: Event[] = [{ atMs: 0, do: 'hold', count: EVERY_MESSAGE }];
  readonly #stepMs: number;
  /** What the simulated network holds, oldest first. */
  readonly #held: Held[] = [];
  /** How often each message is still to arrive. */
  readonly #arrivals = new Map<string, number>();
  #atMs = 0;

  constructor(told: readonly Told[], stepMs: number) {
    this.#stepMs = stepMs;
    for (const { act } of told) {
      if (act.kind === 'react' && act.cause.type === 'message') this.#count(textOf(act.cause), 1);
    }
    for (const each of told) {
      if (!isFirstStart(each.act)) {
        this.#atMs = round(this.#atMs + stepMs);
        this.#perform(each.act);
      }
      for (const { from, to, message } of each.reaction?.sends ?? []) {
        this.#held.push({ link: linkOf(from, to, message), text: textOf({ from, to, message }) });
      }
    }
  }

  #perform(act: Told['act']): void {
    switch (act.kind) {
      case 'crash':
        return this.#add({ do: 'crash', member: act.member });
      case 'drop':
      case 'duplicate':
        return; // What is lost stays held; a copy is kept whenever a message will arrive again.
      case 'react':
        if (act.diesAtSave === null) return this.#cause(act.member, act.cause);
        return this.#causeOfDeath(act.member, act.cause, act.diesAtSave);
      default:
        assertNever(act);
    }
  }

  #cause(member: MemberId, cause: Cause): void {
    switch (cause.type) {
      case 'message':
        return this.#release(cause);
      case 'timer':
        return this.#add({ do: 'fire', member, timer: cause.timer });
      case 'start':
        return this.#add({ do: 'restart', member, amnesia: cause.amnesia });
      case 'command': {
        const { type, ...fields } = cause.command;
        return this.#add({ do: type, member, ...fields });
      }
      case 'peer-gone':
        return this.#add({ do: 'evidence', member, peer: cause.peer, gone: true, proof: cause.proof });
      case 'peer-back':
        return this.#add({ do: 'evidence', member, peer: cause.peer, gone: false });
      default:
        assertNever(cause);
    }
  }

  /** What was not durable at a crash is lost, and the earlier records become durable one after the other. */
  #causeOfDeath(member: MemberId, cause: Cause, save: number): void {
    const syncMs = this.#stepMs * SYNC_PART;
    this.#add({ do: 'disk', member, fault: 'lose-unsynced' });
    this.#cause(member, cause);
    const atMs = round(this.#atMs + syncMs * (save - 0.5));
    this.events.push({ atMs, do: 'crash', member }, { atMs, do: 'disk', member, fault: 'none' });
  }

  #release(message: Extract<Cause, { type: 'message' }>): void {
    const { from, to } = message;
    const { type } = message.message;
    const text = textOf(message);
    const link = linkOf(from, to, message.message);
    const onLink = this.#held.filter((each) => each.link === link);
    const nth = onLink.findIndex((each) => each.text === text) + 1;
    const again = this.#count(text, -1) > 0;
    this.#add({
      do: 'release',
      from,
      to,
      type,
      ...(nth > 1 ? { nth } : {}),
      ...(again ? { copy: true } : {}),
    });
    if (!again) this.#held.splice(this.#held.indexOf(onLink[nth - 1]!), 1);
  }

  #add(event: { readonly do: string; readonly [field: string]: Json }): void {
    this.events.push({ atMs: this.#atMs, ...event });
  }

  #count(text: string, change: number): number {
    const count = (this.#arrivals.get(text) ?? 0) + change;
    this.#arrivals.set(text, count);
    return count;
  }
}

function textOf({ from, to, message }: { from: MemberId; to: MemberId; message: Message }): string {
  return canonicalText({ from, to, message });
}

function linkOf(from: MemberId, to: MemberId, { type }: Message): string {
  return `${from} ${to} ${type}`;
}
