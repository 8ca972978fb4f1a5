import { majority } from '../../core/index.ts';
import type { Clock } from '../../election/index.ts';

/** How long the other masters may take to publish the same message. */
const SAME_WITHIN_MS = 20;

/** So many messages may wait for a majority of masters; the oldest is forgotten first. */
const WAITING = 16;

/**
 * Listens to all masters. A message is passed on when a majority has published it, since a participant that reads
 * earlier finds them divided; or a moment after the first one, since the others may be down. If they were only slow,
 * it is passed on a second time with the majority: what was read in between is out of date.
 */
export class Hints {
  readonly #total: number;
  readonly #clock: Clock;
  readonly #tell: (message: string | null) => void;
  /** Messages that no majority has published yet, in the order of their first arrival. */
  readonly #heard = new Map<string, { readonly from: Set<number>; readonly stop: () => void }>();
  /** The last one that a majority has published: the other masters will publish it too. */
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
      const stop = this.#clock.after(SAME_WITHIN_MS, () => this.#tell(message));
      voices = { from: new Set(), stop };
      this.#heard.set(message, voices);
      const [oldest] = this.#heard.keys();
      if (this.#heard.size > WAITING) this.#forget(oldest!);
    }
    voices.from.add(from);
    if (voices.from.size < majority(this.#total)) return;
    this.#forget(message);
    this.#last = message;
    this.#tell(message);
  }

  close(): void {
    for (const { stop } of this.#heard.values()) stop();
    this.#heard.clear();
  }

  #forget(message: string): void {
    this.#heard.get(message)?.stop();
    this.#heard.delete(message);
  }
}
