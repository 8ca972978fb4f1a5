import { majority } from '../../core/index.ts';
import type { Clock } from '../../election/index.ts';

/** How long the other masters may take to publish the same message. */
const SAME_WITHIN_MS = 20;

/**
 * Listens to all masters. A message is passed on when a majority has published it, since a participant that reads
 * earlier finds them divided; or a moment after the first one, since the others may be down.
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
