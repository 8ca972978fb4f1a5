export interface Cancellable {
  readonly signal?: AbortSignal;
}

/**
 * One listener per signal, shared by all waits on it. A program passes one shutdown signal to all its elections, and
 * Node.js warns of a leak at the eleventh listener.
 */
class Crowd {
  readonly #signal: AbortSignal;
  readonly #calls = new Set<() => void>();
  readonly #onAbort = (): void => {
    const calls = [...this.#calls];
    this.#calls.clear();
    this.#signal.removeEventListener('abort', this.#onAbort);
    for (const call of calls) call();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(call: () => void): void {
    if (this.#calls.size === 0) this.#signal.addEventListener('abort', this.#onAbort);
    this.#calls.add(call);
  }

  remove(call: () => void): void {
    if (this.#calls.delete(call) && this.#calls.size === 0) {
      this.#signal.removeEventListener('abort', this.#onAbort);
    }
  }
}

const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * `AbortSignal.any`, and it keeps the signals that it was made of. Node.js 20 does not: it frees an `AbortSignal.timeout`
 * that nothing else refers to with the next garbage collection, and then that one is never aborted.
 */
export function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  sources.set(any, signals);
  return any;
}

const NONE: readonly (() => void)[] = [];

/**
 * What an AbortController and its signal are, for ends that no program sees: those two take more than a kilobyte, and
 * each election has one.
 */
export class Ending {
  aborted = false;
  reason: unknown;
  /** A list that is replaced, never changed: it is mostly empty. */
  #calls: readonly (() => void)[] = NONE;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const calls = this.#calls;
    this.#calls = NONE;
    for (const call of calls) call();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  add(call: () => void): void {
    this.#calls = this.#calls.concat(call);
  }

  remove(call: () => void): void {
    this.#calls = this.#calls.filter((each) => each !== call);
  }
}

export type Abortable = AbortSignal | Ending;

const crowds = new WeakMap<AbortSignal, Crowd>();

function crowdOf(signal: Abortable): Crowd | Ending {
  if (signal instanceof Ending) return signal;
  const crowd = crowds.get(signal) ?? new Crowd(signal);
  crowds.set(signal, crowd);
  return crowd;
}

/**
 * Calls back once when the first of these signals is aborted, at once if one already is. Returns a function that
 * stops listening.
 */
export function onceAborted(
  signals: readonly (Abortable | undefined)[],
  call: (reason: unknown) => void,
): () => void {
  const given = signals.filter((each) => each !== undefined);
  const aborted = given.find((each) => each.aborted);
  if (aborted !== undefined) {
    call(aborted.reason);
    return () => {};
  }
  const listeners = given.map((signal) => ({
    signal,
    listen: (): void => {
      forget();
      call(signal.reason);
    },
  }));
  const forget = (): void => {
    for (const { signal, listen } of listeners) crowdOf(signal).remove(listen);
  };
  for (const { signal, listen } of listeners) crowdOf(signal).add(listen);
  return forget;
}
