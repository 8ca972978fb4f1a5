/** Histories told by hand, of a protocol that exists nowhere else. */

import {
  anyJson,
  type Definition,
  type Effect,
  flag,
  type Input,
  type Json,
  listOf,
  type MemberId,
  memberId,
  natural,
  nullable,
  record,
  type TraceEvent,
  type TraceLine,
  type TraceStep,
  type View,
} from '../../src/core/index.ts';
import { Story, toRows, Vocabulary } from '../../src/story/index.ts';

const age = record({ term: natural, version: natural });

const definition = {
  messages: {
    ask: record({ nonce: natural }),
    pass: record({ ids: listOf(memberId), nonce: natural }),
    tell: record({ who: memberId, nonce: natural }),
    got: record({ nonce: natural }),
    beat: record({}),
    vote: record({ granted: flag, age: nullable(age) }),
    copy: record({ register: record({ members: listOf(memberId), value: anyJson }), nonce: natural }),
  },
} as unknown as Definition;

type Message = { readonly type: string; readonly [field: string]: unknown };

export const view = (
  role: View['role'],
  leader: MemberId | null = null,
  more: Partial<View> = {},
): Effect => ({
  type: 'report',
  view: { role, leader, term: null, lease: null, version: 0, value: null, ...more },
});

export const send = (message: Message, ...to: MemberId[]): Effect[] =>
  to.map((each) => ({ type: 'send', to: each, message }));

export const timer = (name: string): Effect => ({ type: 'set-timer', timer: name, delayMs: 1 });

export const fires = (name: string): Input => ({ type: 'timer', timer: name });

export const hears = (from: MemberId, message: Message): Input => ({ type: 'message', from, message });

export const step = (atMs: number, member: MemberId, input: Input, ...effects: Effect[]): TraceStep => ({
  atMs,
  member,
  input,
  effects,
});

export const happens = (
  atMs: number,
  what: string,
  fields: Readonly<Record<string, Json>> = {},
): TraceEvent => ({
  atMs,
  event: { do: what, ...fields },
});

export function storyOf(lines: readonly TraceLine[]): Story {
  const story = new Story();
  story.line({ trace: 'caucus/1', protocol: 'toy', members: [1, 2, 3, 4], timing: {}, options: {}, seed: 1 });
  for (const line of lines) story.line(line);
  return story;
}

/** The rows of a history: when, what, and why where that is known. */
export function tell(lines: readonly TraceLine[], untilMs = 10_000, most = 50): string[] {
  const story = storyOf(lines);
  const vocabulary = new Vocabulary(story.members, definition, story.habits);
  return toRows(story.scenes, vocabulary, untilMs, most).map(
    (row) => `${row.atMs} ${row.words}${row.aside === '' ? '' : ` ${row.aside}`}`,
  );
}
