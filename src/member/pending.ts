import type { Outcome } from '../core/index.ts';

/** Commands that were given and not answered yet. */
export class Pending {
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #last = 0;

  /** Gives a command under a new id. */
  ask(give: (id: number) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#last += 1;
      this.#waiting.set(this.#last, resolve);
      give(this.#last);
    });
  }

  answer(command: number, outcome: Outcome): void {
    this.#waiting.get(command)?.(outcome);
    this.#waiting.delete(command);
  }

  /** The outcome of these commands stays unknown. */
  abandon(reason: string): void {
    for (const settle of this.#waiting.values()) settle({ status: 'failed', reason, effect: 'indefinite' });
    this.#waiting.clear();
  }
}
