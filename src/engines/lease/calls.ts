import type { Clock } from '../../election/index.ts';
import type { Call } from './lease-store.ts';

/** Calls to a store, one after the other, each with a time limit. */
export class Calls {
  readonly #clock: Clock;
  readonly #callMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, callMs: number) {
    this.#clock = clock;
    this.#callMs = callMs;
  }

  /** Waits for earlier calls, then makes this one. Rejects when its time is up, whatever it does. */
  make<T>(call: (call: Call) => Promise<T>): Promise<T> {
    const made = this.#last.then(() => this.#within(call));
    this.#last = made.catch(() => {});
    return made;
  }

  async #within<T>(call: (call: Call) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    let stop = (): void => {};
    const late = new Promise<never>((_, reject) => {
      stop = this.#clock.after(this.#callMs, () => {
        const error = new Error(`no answer within ${Math.round(this.#callMs)} ms`);
        controller.abort(error);
        reject(error);
      });
    });
    try {
      return await Promise.race([call({ signal: controller.signal }), late]);
    } finally {
      stop();
    }
  }
}
