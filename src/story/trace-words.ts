import type { Effect, Input, Json, Message, TraceLine, View } from '../core/index.ts';
import { inputWords } from './step-words.ts';

/**
 * One line of a trace in words, or null if there is nothing to show. Timers are left out: their effects are shown.
 *
 *     3 ← 2 election [2] · → 4 election [2,3]
 *
 * `records` says whether what a disk takes and gives back is written out: it is long, and what it leads to is told.
 */
export function narrate(line: TraceLine, records = true): string | null {
  if ('trace' in line) return null;
  if ('event' in line) return `* ${describeEvent(line.event)}`;
  const effects = records ? line.effects : line.effects.filter(({ type }) => type !== 'save');
  const parts = [describeInput(line.input, records), ...effects.map(describeEffect)].filter(
    (part) => part !== null,
  );
  return `${line.member} ${parts.join(' · ')}`;
}

export function describeEvent({
  do: what,
  ...fields
}: {
  readonly do: string;
  readonly [field: string]: Json;
}): string {
  return [what, ...Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`)].join(' ');
}

function describeInput(input: Input, records: boolean): string {
  switch (input.type) {
    case 'start':
      return input.saved === null || !records ? 'starts' : `starts with ${JSON.stringify(input.saved)}`;
    case 'message':
      return `← ${input.from} ${describeMessage(input.message)}`;
    case 'timer':
      return `timer ${input.timer}`;
    case 'drawn':
    case 'command':
    case 'peer-gone':
    case 'peer-back':
    case 'seeds':
      return inputWords(input, describeMessage);
  }
}

function describeEffect(effect: Effect): string | null {
  switch (effect.type) {
    case 'send':
      return `→ ${effect.to} ${describeMessage(effect.message)}`;
    case 'call':
      return `→ ${effect.at} ${describeMessage(effect.message)}`;
    case 'save':
      return `saves ${JSON.stringify(effect.record)}`;
    case 'report':
      return describeView(effect.view);
    case 'answer':
      return effect.outcome.status === 'done' ? 'done' : `${effect.outcome.status}: ${effect.outcome.reason}`;
    case 'set-timer':
    case 'cancel-timer':
    case 'draw':
      return null;
  }
}

/** The type and the values of the other fields: `election [2,3]`, `vote 7`. */
export function describeMessage({ type, ...fields }: Message): string {
  return [type, ...Object.values(fields as Record<string, Json>).map(plain)].join(' ');
}

function describeView({ role, leader, term, version }: View): string {
  const of = role === 'leader' ? 'is leader' : leader === null ? `is ${role}` : `is ${role} of ${leader}`;
  return `${of}${term === null ? '' : ` in ${term}`}${version === 0 ? '' : `, version ${version}`}`;
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
