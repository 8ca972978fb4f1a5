/**
 * A promise that is settled from outside. An unhandled rejection of it is not reported. The promise is made when it is
 * first asked for: of the four in every leadership, most are never waited for.
 */
export class Deferred<T> {
  isSettled = false;
  #promise: Promise<T> | null = null;
  #resolve: ((value: T | PromiseLike<T>) => void) | null = null;
  #reject: ((reason: unknown) => void) | null = null;
  /** How it was settled before the promise was made. */
  #outcome: Promise<T> | { readonly value: T } | null = null;

  get promise(): Promise<T> {
    this.#promise ??= this.#make();
    return this.#promise;
  }

  resolve(value: T): void {
    if (this.#promise !== null) this.#resolve?.(value);
    else if (!this.isSettled) this.#outcome = { value };
    this.isSettled = true;
  }

  reject(reason: unknown): void {
    if (this.#promise !== null) this.#reject?.(reason);
    else if (!this.isSettled) this.#outcome = handled(Promise.reject<T>(reason));
    this.isSettled = true;
  }

  #make(): Promise<T> {
    if (this.#outcome instanceof Promise) return this.#outcome;
    if (this.#outcome !== null) return Promise.resolve(this.#outcome.value);
    return handled(
      new Promise<T>((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      }),
    );
  }
}

function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export function deferred<T = void>(): Deferred<T> {
  return new Deferred<T>();
}
