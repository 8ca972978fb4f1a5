import type { Outcome } from '../core/index.ts';

/** Commands that were given and not answered yet. */
export class Pending {
  /** Made with the first command: most elections have none under way. */
  #waiting: Map<number, (outcome: Outcome) => void> | null = null;
  #last = 0;

  /** Gives a command under a new id. */
  ask(give: (id: number) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#last += 1;
      this.#waiting ??= new Map();
      this.#waiting.set(this.#last, resolve);
      give(this.#last);
    });
  }

  answer(command: number, outcome: Outcome): void {
    const waiting = this.#waiting;
    waiting?.get(command)?.(outcome);
    waiting?.delete(command);
    if (waiting?.size === 0) this.#waiting = null;
  }

  /** The outcome of these commands stays unknown. */
  abandon(reason: string): void {
    for (const settle of this.#waiting?.values() ?? [])
      settle({ status: 'failed', reason, effect: 'indefinite' });
    this.#waiting = null;
  }
}
