import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import type { Json } from './json.ts';
import type { Message } from './protocol.ts';

/**
 * What a message means to people, whatever its protocol calls it. `keep-alive`: a sign of life, or the answer to one.
 * `request`: asks for a vote. `vote`: grants one, `denial`: refuses it. `claim`: its sender wants to lead.
 * `announcement`: names the leader.
 */
export type MessageKind = 'keep-alive' | 'request' | 'vote' | 'denial' | 'claim' | 'announcement' | 'other';

export interface Rule {
  readonly id: string;
  /** The rule in one or two sentences. */
  readonly says: string;
}

/**
 * A protocol explained to people. It is in `explained.ts` beside the protocol and not in its `Definition`, so that a
 * program that takes part in an election does not load it.
 */
export interface Explained<M extends Message = Message, T extends string = string> {
  /** How it works, in one sentence. */
  readonly idea: string;
  /** How it works, in a few rules that can be observed in a run. */
  readonly rules: readonly Rule[];
  readonly gives: string;
  readonly lacks: string;
  /** The source file that explains all of it. */
  readonly file: string;
  /** What the number of an election round is called. */
  readonly term: 'term' | 'epoch';
  /** Members form a ring and talk to their neighbours first; the other links are for when a neighbour is gone. */
  readonly isRing: boolean;
  readonly kinds: { readonly [K in M['type']]: MessageKind };
  /** The messages that are denials if their field `granted` is false. */
  readonly deniable: readonly M['type'][];
  /**
   * Timers after which a member reacts to a missing leader, and timers of its signs of life; the most informative
   * first.
   */
  readonly waits: readonly T[];
  readonly beats: readonly T[];
  /** Timing for a run that people watch, in which a message takes up to 350 ms: every timeout is longer than that. */
  readonly pace: Readonly<Record<string, Json>>;
  /** How times that are not set are derived from the others, and the presets to show as examples. */
  readonly derivedTimes?: { readonly presets: readonly string[]; readonly says: string };
  /** The id of the rule that a step followed, as far as its input and effects show. Null: none. */
  ruleOf(step: SeenStep): string | null;
}

/** One step of a member as seen from outside. */
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

/** The kind of this message. A message that the protocol does not have (perhaps in a recording) is `other`. */
export function kindOf(explained: Explained, message: Message): MessageKind {
  const { kinds, deniable } = explained;
  // A recording may contain any message type, also `constructor`.
  if (!Object.hasOwn(kinds, message.type)) return 'other';
  const isDenied = deniable.includes(message.type) && 'granted' in message && message.granted === false;
  return isDenied ? 'denial' : kinds[message.type]!;
}
