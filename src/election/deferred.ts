/** A promise that is settled from outside. An unhandled rejection of it is not reported. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly isSettled: boolean;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let settle: { resolve: (value: T) => void; reject: (reason: unknown) => void };
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  let isSettled = false;
  return {
    promise,
    get isSettled() {
      return isSettled;
    },
    resolve(value) {
      isSettled = true;
      settle.resolve(value);
    },
    reject(reason) {
      isSettled = true;
      settle.reject(reason);
    },
  };
}
