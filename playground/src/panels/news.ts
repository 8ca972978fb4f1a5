import type { History } from '../game/history/history.ts';
import { nameTerm } from '../game/words/term-words.ts';

/** Keeps what is new about who leads, until it was said. */
export class NewsOfLeaders {
  #history: History | null = null;
  #known = 0;
  #waiting = '';

  /** What is new by that moment and was not said yet; empty if nothing. Only the newest counts. */
  at(history: History, ms: number, protocol: string): string {
    const us = Math.round(ms * 1000);
    const { claims } = history;
    if (history !== this.#history) this.#known = 0;
    const isNewRun = history !== this.#history;
    this.#history = history;
    let count = Math.min(this.#known, claims.length);
    while (count > 0 && claims[count - 1]!.fromUs > us) count -= 1;
    while (count < claims.length && claims[count]!.fromUs <= us) count += 1;
    if (count > this.#known && !isNewRun) {
      const { member, term } = claims[count - 1]!;
      this.#waiting = `${member} became leader${term === null ? '' : `, ${nameTerm(term, protocol)}`}`;
    }
    this.#known = count;
    return this.#waiting;
  }

  forget(): void {
    this.#waiting = '';
  }
}
