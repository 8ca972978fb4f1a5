import type { Command, Input, Outcome, Reason } from '../core/index.ts';

/** Commands that were given and not answered yet. */
export class Pending {
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #last = 0;

  /** Gives a command a number, and hands it over. */
  ask(command: Command, why: Reason | undefined, give: (input: Input) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      const input = this.number(command, why);
      this.#waiting.set(this.#last, resolve);
      give(input);
    });
  }

  /** A command whose answer is not waited for. */
  number(command: Command, why?: Reason): Input {
    this.#last += 1;
    return { type: 'command', id: this.#last, command, ...(why === undefined ? {} : { why }) };
  }

  answer(command: number, outcome: Outcome): void {
    this.#waiting.get(command)?.(outcome);
    this.#waiting.delete(command);
  }

  /** It will never be known what became of them. */
  abandon(reason: string): void {
    for (const settle of this.#waiting.values()) settle({ status: 'failed', reason, effect: 'indefinite' });
    this.#waiting.clear();
  }
}
