import { majority } from '../../core/index.ts';
import type { Clock } from '../../election/index.ts';

/** How long the other masters may take to say the same. */
const SAME_WITHIN_MS = 20;

/**
 * Listens to all masters at once. A message is passed on when a majority has said it, for a participant that looks earlier finds them
 * divided; or a moment after the first, since the others may not be heard.
 */
export class Hints {
  readonly #total: number;
  readonly #clock: Clock;
  readonly #tell: (message: string | null) => void;
  readonly #heard = new Map<string, { readonly from: Set<number>; readonly stop: () => void }>();
  #last = '';

  constructor(total: number, clock: Clock, tell: (message: string | null) => void) {
    this.#total = total;
    this.#clock = clock;
    this.#tell = tell;
  }

  hear(from: number, message: string | null): void {
    if (message === null || this.#total === 1) return this.#tell(message);
    if (message === this.#last) return;
    let voices = this.#heard.get(message);
    if (voices === undefined) {
      const stop = this.#clock.after(SAME_WITHIN_MS, () => this.#pass(message));
      voices = { from: new Set(), stop };
      this.#heard.set(message, voices);
    }
    voices.from.add(from);
    if (voices.from.size >= majority(this.#total)) this.#pass(message);
  }

  close(): void {
    for (const { stop } of this.#heard.values()) stop();
    this.#heard.clear();
  }

  #pass(message: string): void {
    this.#heard.get(message)?.stop();
    this.#heard.delete(message);
    this.#last = message;
    this.#tell(message);
  }
}
