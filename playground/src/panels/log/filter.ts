import type { MemberId } from '../../../../src/core/index.ts';
import { concerns, type Entry, type History, isOrder } from '../../game/history/history.ts';
import { countUpTo } from '../../game/history/track.ts';
import { changeOf, type Teller } from '../../game/words/entry-words.ts';

/** Which lines of the log are shown. */
export interface Filter {
  readonly what: 'all' | 'elections' | 'faults' | 'cause' | 'member';
  readonly member: MemberId | null;
  readonly text: string;
  readonly cause: ReadonlySet<number> | null;
}

/** The entries that pass a filter, found piece by piece, since there may be very many. */
export class Filtered {
  /** Their places in the history, in order. */
  readonly found: number[] = [];
  readonly #history: History;
  readonly #teller: Teller;
  readonly #filter: Filter;
  readonly #text: string;
  #looked = 0;

  constructor(history: History, teller: Teller, filter: Filter) {
    this.#history = history;
    this.#teller = teller;
    this.#filter = filter;
    this.#text = filter.text.trim().toLowerCase();
  }

  /** Looks at new entries. False if there was no time to look at all of them. */
  extend(mayGoOn: () => boolean): boolean {
    const { entries } = this.#history;
    while (this.#looked < entries.length) {
      if (this.#passes(entries[this.#looked]!)) this.found.push(this.#looked);
      this.#looked += 1;
      if (this.#looked % 256 === 0 && !mayGoOn()) return false;
    }
    return true;
  }

  /** How many of them there are up to that moment. */
  countAt(ms: number): number {
    return countUpTo(this.found, this.#history.countAt(ms) - 1);
  }

  /** Its index among them, or -1. */
  placeOf(index: number): number {
    const place = countUpTo(this.found, index) - 1;
    return this.found[place] === index ? place : -1;
  }

  #passes(entry: Entry): boolean {
    const { what, member, cause } = this.#filter;
    if (what === 'member' && (member === null || !concerns(entry, member))) return false;
    if (what === 'cause' && !cause?.has(entry.index)) return false;
    if (what === 'elections' && !decides(entry, this.#history)) return false;
    if (what === 'faults' && !(entry.kind === 'event' && isOrder(entry))) return false;
    return this.#text === '' || this.#teller.tell(entry).toLowerCase().includes(this.#text);
  }
}

/** Does it change candidates, leaders or followers? */
function decides(entry: Entry, history: History): boolean {
  return entry.kind === 'step' && changeOf(entry, history).after !== null;
}
