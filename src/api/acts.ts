import type { Act } from './wire/act.ts';

/** Older acts are dropped. */
const LONGEST = 1000;

/** Where acts are kept across restarts. */
export interface ActStore {
  /** Those of earlier processes of this member, oldest first. */
  earlier(electionName: string): readonly Act[];
  add(act: Act): void;
}

/** What operators did here, oldest first, bounded: in the log, and beside the history of the election. */
export class Acts {
  readonly #note: (message: string) => void;
  readonly #store: ActStore | null;
  readonly #list: Act[] = [];

  constructor(note: (message: string) => void, store: ActStore | null = null) {
    this.#note = note;
    this.#store = store;
  }

  of(electionName: string): readonly Act[] {
    const earlier = this.#store?.earlier(electionName) ?? [];
    return [...earlier, ...this.#list.filter((act) => act.electionName === electionName)].slice(-LONGEST);
  }

  add(said: Omit<Act, 'at' | 'atMs'>): void {
    const atMs = Date.now();
    const act: Act = { at: new Date(atMs).toISOString(), atMs, ...said };
    this.#list.push(act);
    if (this.#list.length > LONGEST) this.#list.shift();
    this.#store?.add(act);
    this.#note(actWords(said));
  }
}

/** `by` is null while no token is needed. */
export function actWords({ by, from, what, outcome }: Omit<Act, 'at' | 'atMs'>): string {
  return `operator ${by ?? '(no token)'} at ${from}: ${what}: ${outcome}`;
}
