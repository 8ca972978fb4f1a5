import type { Violation } from '../../../../src/simulation/index.ts';
import { isGrave } from '../../game/cause/alarms.ts';
import { type EventEntry, type History, isOrder } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';
import type { Level } from '../../game/words/alarm-words.ts';

const SIGNS: Readonly<Record<string, string>> = {
  crash: '✕',
  restart: '↻',
  pause: '‖',
  resume: '▶',
  cut: '✂',
  heal: '∪',
  partition: '┃',
  drop: '✕',
  dropped: '✕',
  hold: '‖',
  held: '‖',
  duplicated: '2',
  fire: '!',
  clock: '◷',
  network: '≈',
};

/** The events from outside, indexed by time. It grows with its history. */
export class Marks {
  readonly all: EventEntry[] = [];
  readonly #timesMs: number[] = [];
  readonly #history: History;
  #looked = 0;

  constructor(history: History) {
    this.#history = history;
  }

  between(fromMs: number, toMs: number): EventEntry[] {
    const { entries } = this.#history;
    for (; this.#looked < entries.length; this.#looked++) {
      const entry = entries[this.#looked]!;
      if (entry.kind !== 'event' || !isOrder(entry) || entry.event.do === 'answer') continue;
      this.all.push(entry);
      this.#timesMs.push(entry.atMs);
    }
    return this.all.slice(countUpTo(this.#timesMs, fromMs), countUpTo(this.#timesMs, toMs));
  }
}

/** Alarms that would not hide each other: of those close together, the gravest is drawn. */
export function alarmMarks(
  violations: readonly Violation[],
  apartMs: number,
): { readonly atMs: number; readonly level: Level }[] {
  const found: { atMs: number; level: Level }[] = [];
  for (const violation of violations) {
    const { atMs } = violation;
    const level = isGrave(violation) ? 'broken' : 'warning';
    const last = found.at(-1);
    if (last === undefined || atMs - last.atMs >= apartMs) found.push({ atMs, level });
    else if (level === 'broken') last.level = level;
  }
  return found;
}

export function signOf({ event }: EventEntry): string {
  return SIGNS[event.do] ?? '•';
}
