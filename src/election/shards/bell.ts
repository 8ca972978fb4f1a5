import { deferred } from '../deferred.ts';

/** Wakes all that wait for a change. Take `next` before looking at what may change: then no change is missed. */
export class Bell {
  #next = deferred();

  get next(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    const rung = this.#next;
    this.#next = deferred();
    rung.resolve();
  }
}
