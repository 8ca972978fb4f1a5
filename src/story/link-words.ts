import type { MemberId } from '../core/index.ts';
import { nameMembers } from './names.ts';
import type { EventScene } from './scene.ts';
import { shorten } from './vocabulary.ts';

type Event = EventScene['event'];

/** Is it about links between members? An event about a message on a link has a type. */
export function isLink({ do: what, from, to, type }: Event): boolean {
  if (from === undefined || to === undefined || type !== undefined) return false;
  return what === 'cut' || what === 'heal' || what === 'network';
}

/** Is it about what happens to a message in flight? */
export function isPassage({ do: what, from, to, type }: Event): boolean {
  if (from === undefined || to === undefined || type === undefined) return false;
  return ['cut', 'lost', 'dropped', 'held', 'duplicated', 'release'].includes(what);
}

const PASSAGES: Readonly<Record<string, string>> = { cut: 'cut off', release: 'released' };

/** "held: keep-alive 2 → 1, 3 and 4" */
export function passageWords(events: readonly Event[], all: readonly MemberId[]): string {
  const { do: what, type } = events[0]!;
  return `${PASSAGES[what] ?? what}: ${type} ${nameAll(events, 'from', all)} → ${nameAll(events, 'to', all)}`;
}

function nameAll(events: readonly Event[], end: 'from' | 'to', all: readonly MemberId[]): string {
  return nameMembers(
    events.map((event) => event[end] as MemberId),
    all,
  );
}

/** "cut between 5 and 1–4", "network from 2 to 3: loss 0.1" */
export function linkWords(events: readonly Event[], all: readonly MemberId[]): string {
  const { do: what, oneWay, from: _, to: __, ...fields } = events[0]!;
  const verb = what === 'heal' ? 'heals' : what;
  const ends = nameEnds(events, oneWay === true, all);
  return what === 'network' ? `network ${ends}: ${fieldWords(fields)}` : `${verb} ${ends}`;
}

function nameEnds(events: readonly Event[], oneWay: boolean, all: readonly MemberId[]): string {
  const from = nameAll(events, 'from', all);
  const to = nameAll(events, 'to', all);
  if (from === to) return `among ${from}`;
  return oneWay ? `from ${from} to ${to}` : `between ${from} and ${to}`;
}

/** "loss 0.1, latencyMs [1,10]" */
export function fieldWords(fields: Omit<Event, 'do'>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${shorten(value!)}`)
    .join(', ');
}
