import type { Effect, MemberId, Message, TraceEvent, TraceStep } from '../../../../src/core/index.ts';

type Line = TraceStep | TraceEvent;
type SetTimer = Extract<Effect, { type: 'set-timer' }>;

/** What a trace does not contain but implies: when each message arrived, and when each timer came due. */
export interface Matches {
  /**
   * By the message object, which the arrival shares with its sender. Without an entry it is not known to have
   * arrived.
   */
  readonly arrivalMs: ReadonlyMap<Message, number>;
  /** Messages that the trace reports as lost, or never sent. */
  readonly told: ReadonlySet<Message>;
  readonly dueMs: ReadonlyMap<SetTimer, number>;
  /** The lines, with arrivals that have the same message object as the sending. */
  readonly lines: readonly Line[];
}

interface Sent {
  readonly message: Message;
  readonly atMs: number;
}

const FATES: readonly string[] = ['lost', 'cut', 'dropped', 'held'];
/** How many lines are processed before the page may draw again. */
const AT_ONCE = 200;
/** A message sent this long before its receiver started is no longer in flight. */
const STALE_MS = 2000;

/** Sends and arrivals of the same message between the same two members are matched in order. */
export function* match(lines: readonly Line[]): Generator<void, Matches> {
  const told = yield* findTold(lines);
  const ways = yield* findSent(lines, told);
  const arrivalMs = new Map<Message, number>();
  const dueMs = new Map<SetTimer, number>();
  const taken = new Map<string, number>();
  const timers = new Map<string, SetTimer>();
  const startedMs = new Map<MemberId, number>();
  const matched: Line[] = [];
  for (const [i, line] of lines.entries()) {
    if (i % AT_ONCE === 0) yield;
    matched.push('event' in line ? line : takeStep(line));
  }
  return { arrivalMs, told, dueMs, lines: matched };

  function takeStep(line: TraceStep): TraceStep {
    const { member, atMs, input, effects } = line;
    if (input.type === 'start') startedMs.set(member, atMs);
    if (input.type === 'timer') {
      const set = timers.get(`${member} ${input.timer}`);
      if (set !== undefined) dueMs.set(set, atMs);
      timers.delete(`${member} ${input.timer}`);
    }
    for (const effect of effects) {
      if (effect.type === 'set-timer') timers.set(`${member} ${effect.timer}`, effect);
      if (effect.type === 'cancel-timer') timers.delete(`${member} ${effect.timer}`);
    }
    if (input.type !== 'message') return line;
    const message = takeSent(keyOf(input.from, member, input.message), member);
    if (message === null) return line;
    arrivalMs.set(message, atMs);
    return { ...line, input: { ...input, message } };
  }

  function takeSent(key: string, to: MemberId): Message | null {
    const sent = ways.get(key) ?? [];
    const since = (startedMs.get(to) ?? 0) - STALE_MS;
    let next = taken.get(key) ?? 0;
    while (next < sent.length && sent[next]!.atMs < since) next += 1;
    taken.set(key, next + 1);
    return sent[next]?.message ?? null;
  }
}

/** Messages that were not sent: the trace says so right after the sending. */
function* findTold(lines: readonly Line[]): Generator<void, Set<Message>> {
  const told = new Set<Message>();
  const latest = new Map<string, Message[]>();
  for (const [i, line] of lines.entries()) {
    if (i % AT_ONCE === 0) yield;
    if (!('event' in line)) {
      for (const effect of line.effects) {
        if (effect.type !== 'send') continue;
        push(latest, `${line.member} ${effect.to} ${effect.message.type}`, effect.message);
      }
      continue;
    }
    const { do: fate, from, to, type, flight } = line.event;
    if (!FATES.includes(fate) || flight !== undefined) continue;
    const message = latest.get(`${from as MemberId} ${to as MemberId} ${type as string}`)?.pop();
    if (message !== undefined) told.add(message);
  }
  return told;
}

function* findSent(
  lines: readonly Line[],
  told: ReadonlySet<Message>,
): Generator<void, ReadonlyMap<string, readonly Sent[]>> {
  const ways = new Map<string, Sent[]>();
  for (const [i, line] of lines.entries()) {
    if (i % AT_ONCE === 0) yield;
    if ('event' in line) continue;
    const { atMs, member, effects } = line;
    for (const effect of effects) {
      if (effect.type !== 'send' || told.has(effect.message)) continue;
      push(ways, keyOf(member, effect.to, effect.message), { message: effect.message, atMs });
    }
  }
  return ways;
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** A reader of a message may have put its fields in another order. */
function keyOf(from: MemberId, to: MemberId, message: Message): string {
  return `${from} ${to} ${JSON.stringify(message, sorted)}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
