import type { Claim } from './claims.ts';
import { ExecutionError } from './errors.ts';

/** A lock on one or more resources, for a time that can be extended. */
export class Lock {
  readonly resources: string[];
  /** The token of the first resource: larger than that of every earlier lock on it. */
  readonly token: bigint;
  readonly tokens: ReadonlyMap<string, bigint>;
  /** When it is released by itself, in milliseconds of the wall clock; 0 once it was released or extended. */
  expiration: number;

  readonly #claims: readonly Claim[];
  /** Of the monotonic clock. */
  #expiresAtMs: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #isReleased = false;

  /** @internal Use `acquire`. */
  constructor(resources: readonly string[], claims: readonly Claim[], durationMs: number) {
    this.resources = [...resources];
    this.#claims = claims;
    this.tokens = new Map(claims.map(({ resource, leadership }) => [resource, leadership.token]));
    this.token = this.tokens.get(resources[0]!)!;
    this.expiration = Date.now() + durationMs;
    this.#expiresAtMs = performance.now() + durationMs;
    if (durationMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => void this.#giveBack().catch(() => {}), durationMs);
    this.#timer.unref();
  }

  /** The same text for the whole life of the lock, also after `extend`. */
  get value(): string {
    return [...this.tokens.values()].join(',');
  }

  /** Is it held at this moment? */
  isValid(): boolean {
    return this.problem === null;
  }

  /** Throws an ExecutionError that says why, if it is not held at this moment. */
  assert(): void {
    if (this.problem !== null) throw this.problem;
  }

  /** Prolongs it to this duration from now. Use the lock that this resolves with; this one counts as released. */
  async extend(duration: number): Promise<Lock> {
    checkDuration(duration);
    const problem = this.problem;
    if (problem !== null) throw new ExecutionError('Cannot extend an already-expired lock.', problem);
    this.#end();
    return new Lock(this.resources, this.#claims, duration);
  }

  /** Rejects with an ExecutionError if it was lost before, or if the release fails. */
  async release(): Promise<void> {
    const problem = this.problem;
    await this.#giveBack();
    if (problem !== null) throw problem;
  }

  /** @internal Calls back once if it is lost. */
  onLost(call: (why: ExecutionError) => void): void {
    let isTold = false;
    for (const claim of this.#claims) {
      void claim.leadership.ended.then(() => {
        if (isTold || this.#isReleased) return;
        isTold = true;
        call(lost(claim));
      });
    }
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#isReleased = true;
    this.expiration = 0;
  }

  async #giveBack(): Promise<void> {
    if (this.#isReleased) return;
    this.#end();
    const released = await Promise.allSettled(this.#claims.map((claim) => claim.release()));
    const failed = released.find((each) => each.status === 'rejected');
    if (failed !== undefined)
      throw new ExecutionError(`the release failed: ${failed.reason.message}`, failed.reason);
  }

  /** Why it is not held at this moment; null if it is. */
  get problem(): ExecutionError | null {
    const claim = this.#claims.find(({ leadership }) => !leadership.isValid());
    if (this.#isReleased) return new ExecutionError('the lock was released or has expired');
    if (claim !== undefined) return lost(claim);
    if (performance.now() < this.#expiresAtMs) return null;
    return new ExecutionError('the lock has expired');
  }
}

function lost({ resource, leadership }: Claim): ExecutionError {
  return new ExecutionError(`the lock on ${resource} was lost: ${leadership.lost?.detail}`, leadership.lost);
}

/** As the package `redlock` says it. */
export function checkDuration(duration: number): void {
  if (!(Number.isSafeInteger(duration) && duration > 0))
    throw new Error('Duration must be an integer value in milliseconds.');
}
