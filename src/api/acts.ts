import type { Act } from './wire/act.ts';

/** Older acts are dropped. */
const LONGEST = 1000;

/** What operators did here, oldest first, bounded: in the log, and beside the history of the election. */
export class Acts {
  readonly #note: (message: string) => void;
  readonly #list: Act[] = [];

  constructor(note: (message: string) => void) {
    this.#note = note;
  }

  of(electionName: string): readonly Act[] {
    return this.#list.filter((act) => act.electionName === electionName);
  }

  add(act: Omit<Act, 'at' | 'atMs'>): void {
    const atMs = Date.now();
    this.#list.push({ at: new Date(atMs).toISOString(), atMs, ...act });
    if (this.#list.length > LONGEST) this.#list.shift();
    this.#note(actWords(act));
  }
}

/** `by` is null while no token is needed. */
export function actWords({ by, from, what, outcome }: Omit<Act, 'at' | 'atMs'>): string {
  return `operator ${by ?? '(no token)'} at ${from}: ${what}: ${outcome}`;
}
