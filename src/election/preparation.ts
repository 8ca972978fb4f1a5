import type { Clock } from './clock.ts';
import { deferred } from './deferred.ts';
import { problemOf, type Result, resultOf } from './work.ts';

/** What a candidate does before it leads; its result is handed to the work. */
export type Prepare<P> = (context: { readonly signal: AbortSignal }) => P | PromiseLike<P>;

/** The delay after the first failure; it doubles with each further one. */
const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/**
 * The preparation for one leadership. It is tried until it has succeeded, with a growing delay after each failure.
 * Its signal is aborted when that leadership has ended, or the candidate has given up before.
 */
export class Preparation<P> {
  readonly #prepare: Prepare<P>;
  readonly #clock: Clock;
  readonly #tell: (problem: string) => void;
  readonly #controller = new AbortController();
  readonly #ready = deferred();
  #attempt: Promise<Result<P>>;
  #failures = 0;
  /** Null while an attempt runs, and once one has succeeded. */
  #stopWaiting: (() => void) | null = null;

  /** The first attempt begins at once. */
  constructor(prepare: Prepare<P>, clock: Clock, tell: (problem: string) => void) {
    this.#prepare = prepare;
    this.#clock = clock;
    this.#tell = tell;
    this.#attempt = this.#try();
  }

  /** Settles once an attempt has succeeded. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** For a leader, which does not wait for the next attempt: the result of the last one, or of one that begins now. */
  result(): Promise<Result<P>> {
    if (this.#stopWaiting !== null) this.#tryAgain();
    return this.#attempt;
  }

  end(reason: unknown): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
    this.#controller.abort(reason);
  }

  #tryAgain(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = null;
    this.#attempt = this.#try();
  }

  async #try(): Promise<Result<P>> {
    const { signal } = this.#controller;
    const result = await resultOf(() => this.#prepare({ signal }));
    if (result.ok) this.#ready.resolve();
    else if (!signal.aborted) this.#onFailure(result.error);
    return result;
  }

  #onFailure(error: unknown): void {
    const waitMs = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS);
    this.#failures += 1;
    this.#tell(problemOf(error));
    this.#stopWaiting = this.#clock.after(waitMs, () => this.#tryAgain());
  }
}
