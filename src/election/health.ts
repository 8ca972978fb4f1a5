import { asObject, BadInput, refuseUnknown, show } from '../core/values.ts';
import { type Abortable, onceAborted } from './aborts.ts';
import { type Clock, settlesWithin } from './clock.ts';
import { problemOf } from './work.ts';

/** Can this program do the leader's work? Everything but `true` counts as no, also an error. */
export type HealthCheck = () => boolean | PromiseLike<boolean>;

export interface HealthOptions {
  readonly check: HealthCheck;
  /** How long after an answer the next one is asked for (default: 1 s). */
  readonly everyMs?: number;
  /** An answer that has not come within this time counts as no (default: 1 s). */
  readonly withinMs?: number;
  /** So many times no, one after the other, end the leadership (default: 3). */
  readonly failures?: number;
}

const KNOWN = { check: 0, everyMs: 0, withinMs: 0, failures: 0 };

function readHealth(given: HealthCheck | HealthOptions): Required<HealthOptions> {
  if (typeof given === 'function') return { check: given, everyMs: 1000, withinMs: 1000, failures: 3 };
  refuseUnknown(asObject(given, 'health'), KNOWN, 'health');
  const { check, everyMs = 1000, withinMs = 1000, failures = 3 } = given;
  if (typeof check !== 'function') throw new BadInput('health.check', 'a function', show(check));
  for (const [name, ms] of Object.entries({ everyMs, withinMs }))
    if (!(Number.isFinite(ms) && ms > 0))
      throw new BadInput(`health.${name}`, 'a number of milliseconds above 0', show(ms));
  if (!(Number.isSafeInteger(failures) && failures > 0))
    throw new BadInput('health.failures', 'a whole number above 0', show(failures));
  return { check, everyMs, withinMs, failures };
}

/** Asks a program whether it can do the leader's work: before it stands, and while it leads. */
export class Health {
  /** What the last answer was. */
  isGood = false;

  readonly #options: Required<HealthOptions>;
  readonly #clock: Clock;
  readonly #tell: (problem: string) => void;
  #pending: Promise<void> | null = null;
  #answer = false;
  /** Why the last answer was no. */
  #problem = '';
  #told = '';

  /** `tell` gets each problem once, until the answer was yes again. */
  constructor(given: HealthCheck | HealthOptions, clock: Clock, tell: (problem: string) => void) {
    this.#options = readHealth(given);
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Asks until the answer is yes. Rejects with the reason of the first of these signals that is aborted. */
  async recovers(signals: readonly (Abortable | undefined)[]): Promise<void> {
    let forget = (): void => {};
    let stopAsking = (): void => {};
    const calledOff = new Promise<never>((_, reject) => {
      forget = onceAborted(signals, reject);
    });
    const recovered = new Promise<void>((resolve) => {
      stopAsking = this.#askOn((isGood) => {
        if (isGood) resolve();
        return !isGood;
      });
    });
    try {
      await Promise.race([recovered, calledOff]);
    } finally {
      forget();
      stopAsking();
    }
  }

  /** Asks again and again, and calls back once it has failed too often. Returns a function that stops it. */
  watch(onFailure: (problem: string) => void): () => void {
    const { failures } = this.#options;
    let failed = 0;
    return this.#askOn((isGood) => {
      failed = isGood ? 0 : failed + 1;
      if (failed < failures) return true;
      const times = failures === 1 ? '' : ` ${failures} times in a row`;
      onFailure(`its health check failed${times}: ${this.#problem}`);
      return false;
    });
  }

  /** Asks at once, and then regularly as long as `goesOn` says so of the answer. */
  #askOn(goesOn: (isGood: boolean) => boolean): () => void {
    let isOn = true;
    let stopTimer = (): void => {};
    const ask = async (): Promise<void> => {
      const isGood = await this.#ask();
      if (!isOn || !goesOn(isGood)) return;
      stopTimer = this.#clock.after(this.#options.everyMs, ask);
    };
    void ask();
    return () => {
      isOn = false;
      stopTimer();
    };
  }

  /** A check that has not answered is not called a second time: checks that hang would pile up. */
  async #ask(): Promise<boolean> {
    const { withinMs } = this.#options;
    this.#pending ??= this.#call().finally(() => {
      this.#pending = null;
    });
    const hasAnswered = await settlesWithin(this.#clock, this.#pending, withinMs);
    if (!hasAnswered) this.#problem = `it did not answer within ${withinMs} ms`;
    this.isGood = hasAnswered && this.#answer;
    if (this.isGood) this.#told = '';
    else if (this.#problem !== this.#told) {
      this.#told = this.#problem;
      this.#tell(this.#problem);
    }
    return this.isGood;
  }

  async #call(): Promise<void> {
    try {
      this.#answer = (await this.#options.check()) === true;
      this.#problem = 'it answered false';
    } catch (error) {
      this.#answer = false;
      this.#problem = problemOf(error);
    }
  }
}
