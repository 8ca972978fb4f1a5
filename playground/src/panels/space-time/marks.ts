import type { EventEntry, History } from '../../history/history.ts';
import { countUpTo } from '../../history/track.ts';
import { isOrder } from '../../words/entry-words.ts';

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

/** What was done from outside, found again by time. It grows with its history. */
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

export function signOf({ event }: EventEntry): string {
  return SIGNS[event.do] ?? '•';
}
