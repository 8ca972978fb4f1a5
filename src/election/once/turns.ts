import { type Abortable, onceAborted } from '../aborts.ts';
import { deferred } from '../deferred.ts';

/**
 * One call of a series at a time, in the order in which they came. Two calls under one leadership have one token, so no
 * store could tell their works apart.
 */
export class Turns {
  /** By series: the end of the call that came last. */
  readonly #last = new Map<string, Promise<void>>();

  /** Acts once all earlier calls of the series have settled. Rejects if a signal is aborted before. */
  async take<T>(
    series: string,
    signals: readonly (Abortable | undefined)[],
    act: () => Promise<T>,
  ): Promise<T> {
    const before = this.#last.get(series) ?? Promise.resolve();
    const left = deferred();
    const over = before.then(() => left.promise);
    this.#last.set(series, over);
    const calledOff = deferred<never>();
    const forget = onceAborted(signals, (reason) => calledOff.reject(reason));
    try {
      await Promise.race([before, calledOff.promise]);
      forget();
      return await act();
    } finally {
      forget();
      left.resolve();
      void over.then(() => {
        if (this.#last.get(series) === over) this.#last.delete(series);
      });
    }
  }
}
