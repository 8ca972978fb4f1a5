import type { History } from '../game/history/history.ts';
import { nameTerm } from '../game/words/term-words.ts';

/** Keeps news about the leader until it was announced. */
export class NewsOfLeaders {
  #history: History | null = null;
  #known = 0;
  #waiting = '';

  /** News by that moment that was not announced yet; empty if there is none. Only the newest counts. */
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
