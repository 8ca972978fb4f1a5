import { fieldsOf } from '../../member/http/ids-in-bodies.ts';
import type { FleetEvent } from './fleet.ts';

interface Ending {
  readonly cause: unknown;
  readonly detail: unknown;
}

/** More than any member remembers of its history. */
const MOST = 1000;

/**
 * Why leaderships ended, in the words of those who held them. A leader whose lease has run out hands over, and whoever takes over
 * is not told why; here, where all of them are heard, it is known.
 */
export class Endings {
  /** The token under which a member leads. */
  readonly #held = new Map<number, string>();
  readonly #byToken = new Map<string, Ending>();

  hear({ event, id, leader, token, cause, detail }: FleetEvent): void {
    if (event !== 'change') return;
    const before = this.#held.get(id);
    this.#held.delete(id);
    if (leader === id && typeof token === 'string') this.#held.set(id, token);
    else if (leader === null && before !== undefined && cause !== 'transferred') {
      this.#byToken.set(before, { cause, detail });
      const [oldest] = this.#byToken.keys();
      if (this.#byToken.size > MOST) this.#byToken.delete(oldest!);
    }
  }

  /** The history as a member tells it, with the causes that it does not know. */
  explain(history: readonly unknown[]): readonly unknown[] {
    let last: unknown;
    return history.map((change) => {
      const fields = fieldsOf(change);
      const ending = this.#byToken.get(String(last));
      last = fields.token;
      if (fields.cause !== 'transferred' || ending === undefined) return change;
      return { ...fields, cause: ending.cause, detail: `${fields.detail}: ${ending.detail}` };
    });
  }
}
