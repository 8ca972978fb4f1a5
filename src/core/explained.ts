import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import type { Json } from './json.ts';
import type { Message } from './protocol.ts';

/**
 * What a message means to people, whatever its protocol calls it. `keep-alive`: a sign of life, or the answer to one. `request`: asks for
 * a vote. `vote`: gives one, `denial`: refuses it. `claim`: its sender wants to lead. `announcement`: says who leads.
 */
export type MessageKind = 'keep-alive' | 'request' | 'vote' | 'denial' | 'claim' | 'announcement' | 'other';

export interface Rule {
  readonly id: string;
  /** The rule in one or two sentences. */
  readonly says: string;
}

/**
 * A protocol explained to people. It stands in `explained.ts` beside the protocol and not in its `Definition`, so that a program
 * that takes part in an election loads none of it.
 */
export interface Explained<M extends Message = Message, T extends string = string> {
  /** How it works, in one sentence. */
  readonly idea: string;
  /** How it works, in a few rules that can be watched as they are used. */
  readonly rules: readonly Rule[];
  readonly gives: string;
  readonly lacks: string;
  /** The source file that tells all of it. */
  readonly file: string;
  /** What the number of an election round is called. */
  readonly term: 'term' | 'epoch';
  /** Members stand in a ring and talk to their neighbours first; the other links are for when a neighbour is gone. */
  readonly isRing: boolean;
  readonly kinds: { readonly [K in M['type']]: MessageKind };
  /** The messages that are denials where their field `granted` is false. */
  readonly deniable: readonly M['type'][];
  /** Timers after which a member does something about a missing leader, and those of its signs of life; the most telling first. */
  readonly waits: readonly T[];
  readonly beats: readonly T[];
  /** Times for a run that people watch, in which a message takes up to 350 ms: every wait is longer than that. */
  readonly pace: Readonly<Record<string, Json>>;
  /** How the times that are not set follow from the others, where they do, and the presets to show as examples. */
  readonly derivedTimes?: { readonly presets: readonly string[]; readonly says: string };
  /** The id of the rule that a step followed, as far as can be seen from what came in and what went out. Null: none of them. */
  ruleOf(step: SeenStep): string | null;
}

/** One step of a member as it looks from outside. */
export interface SeenStep {
  /** `start`, `drawn`, `command`, the type of the message, or the timer without the member or number that it is about. */
  readonly input: string;
  readonly isTimer: boolean;
  sends(type: string): boolean;
  /** Does it report that it leads? */
  readonly leads: boolean;
  readonly reports: boolean;
  readonly saves: boolean;
  cancels(timer: string): boolean;
  /** It had no effect at all. */
  readonly isIdle: boolean;
}

export function seenStep(input: Input, effects: readonly Effect[]): SeenStep {
  const sent = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  const views = effects.flatMap((effect) => (effect.type === 'report' ? [effect.view] : []));
  return {
    input: nameOf(input),
    isTimer: input.type === 'timer',
    sends: (type) => sent.includes(type),
    leads: views.some((view) => view.role === 'leader'),
    reports: views.length > 0,
    saves: effects.some(({ type }) => type === 'save'),
    cancels: (timer) => effects.some((effect) => effect.type === 'cancel-timer' && effect.timer === timer),
    isIdle: effects.length === 0,
  };
}

function nameOf(input: Input): string {
  if (input.type === 'message') return input.message.type;
  return input.type === 'timer' ? input.timer.replace(/[/ ].*$/, '') : input.type;
}

/** What this message means. A message that the protocol does not have, in a recording perhaps, is `other`. */
export function kindOf(explained: Explained, message: Message): MessageKind {
  const { kinds, deniable } = explained;
  // A recording may call a message anything, also `constructor`.
  if (!Object.hasOwn(kinds, message.type)) return 'other';
  const isDenied = deniable.includes(message.type) && 'granted' in message && message.granted === false;
  return isDenied ? 'denial' : kinds[message.type]!;
}
