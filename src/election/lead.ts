import { type Abortable, type Cancellable, onceAborted } from './aborts.ts';
import type { Candidacy, Taker } from './candidacy.ts';
import { deferred } from './deferred.ts';
import { CaucusError } from './errors.ts';
import { Health, type HealthCheck, type HealthOptions } from './health.ts';
import type { Leadership } from './leadership.ts';
import { Preparation, type Prepare } from './preparation.ts';
import type { Tenure } from './tenure.ts';
import { isStop, problemOf, type Result, resultOf } from './work.ts';

/** The leader's work. `prepared` is what `prepare` returned. */
export type Work<T, P = unknown> = (leadership: Leadership, prepared: P) => T | PromiseLike<T>;

export interface LeadOptions<P = unknown> extends Cancellable {
  /**
   * Can this program do the leader's work? Asked before it stands, and regularly while it leads. A leader whose check
   * fails three times in a row resigns with the cause `unhealthy`, and stands again once the check succeeds.
   */
  readonly health?: HealthCheck | HealthOptions;
  /**
   * Runs while we wait to lead, once for each leadership. If it has not ended when we win, the work begins when it
   * has. A failure is tried again with a growing delay; one of a leader makes it resign.
   */
  readonly prepare?: Prepare<P>;
}

/** One call of `lead`: stands, runs the work in each leadership that it wins, and stands again. */
export class Lead<T, P> implements Taker {
  readonly #candidacy: Candidacy;
  readonly #work: Work<T, P>;
  readonly signal: AbortSignal | undefined;
  readonly #health: Health | null;
  readonly #prepare: Prepare<P> | undefined;
  #preparation: Preparation<P> | null = null;
  #resolve!: (value: T | undefined) => void;
  #reject!: (reason: unknown) => void;
  /** Stops listening to the signal, while it waits to lead. */
  #forget: (() => void) | null = null;
  #isOver = false;
  /** The preparation failed while this participant led. */
  #isUnprepared = false;

  constructor(candidacy: Candidacy, work: Work<T, P>, { signal, health, prepare }: LeadOptions<P>) {
    this.#candidacy = candidacy;
    this.#work = work;
    this.signal = signal;
    this.#prepare = prepare;
    const tellHealth = (problem: string): void => candidacy.tell(`the health check failed: ${problem}`);
    this.#health = health === undefined ? null : new Health(health, candidacy.clock, tellHealth);
  }

  /**
   * Undefined if it was called off by its own signal. No async function waits to lead: those that wait in thousands of
   * elections would take most of the memory of these.
   */
  run(): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#health === null) this.#stand();
      else
        this.#becomeFit().then(
          () => this.#stand(),
          (error) => this.#fail(error),
        );
    });
  }

  give(tenure: Tenure): void {
    this.#forget?.();
    this.#forget = null;
    void this.#lead(tenure);
  }

  refuse(error: unknown): void {
    this.#forget?.();
    this.#forget = null;
    this.#fail(error);
  }

  async #lead(tenure: Tenure): Promise<void> {
    await null; // What granted it goes on first.
    try {
      if (tenure.leadership.isValid()) return await this.#onResult(tenure, await this.#oneTenure(tenure));
      tenure.finish(); // Lost before its work could begin.
      this.#stand();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #onResult(tenure: Tenure, result: Result<T>): Promise<void> {
    const isLost = !tenure.leadership.isValid();
    const hasStopped = isLost && (result.ok || isStop(result.error, tenure.leadership.lost));
    const calledOff = this.#ends.find((each) => each?.aborted);
    if (hasStopped && calledOff === undefined) return await this.#standAgain(tenure);
    this.#candidacy.stepDown(tenure, this.#candidacy.loss('resigned', 'its work is done'));
    tenure.finish();
    await tenure.over.promise;
    if (hasStopped) throw calledOff!.reason;
    if (!result.ok) throw result.error;
    this.#resolve(result.value);
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#preparation?.end(error);
    if (this.signal?.aborted && error === this.signal.reason) this.#resolve(undefined);
    else this.#reject(error);
  }

  /** Either ends this call. */
  get #ends(): readonly (Abortable | undefined)[] {
    return [this.signal, this.#candidacy.closed];
  }

  #stand(): void {
    const { closed } = this.#candidacy;
    if (this.signal !== undefined && !this.signal.aborted && !closed.aborted)
      this.#forget = onceAborted([this.signal], (reason) => {
        this.#candidacy.leave(this);
        this.refuse(reason);
      });
    this.#candidacy.enter(this);
    if (!this.#isOver) this.#startToPrepare();
  }

  #startToPrepare(): void {
    if (this.#prepare === undefined || this.#preparation !== null) return;
    const tell = (problem: string): void => this.#candidacy.tell(`the preparation failed: ${problem}`);
    this.#preparation = new Preparation(this.#prepare, this.#candidacy.clock, tell);
  }

  async #standAgain(tenure: Tenure): Promise<void> {
    if (this.#health?.isGood !== false && !this.#isUnprepared) {
      this.#stand(); // Queued before the release, so that the release does not withdraw us.
      tenure.finish();
      return;
    }
    tenure.finish();
    await tenure.over.promise; // Not queued: with the release we are no candidate any more.
    await this.#becomeFit();
    this.#stand();
  }

  /** Waits until the work could be done. */
  async #becomeFit(): Promise<void> {
    await this.#health?.recovers(this.#ends);
    if (!this.#isUnprepared) return;
    this.#startToPrepare();
    let forget = (): void => {};
    const calledOff = new Promise<never>((_, reject) => {
      forget = onceAborted(this.#ends, reject);
    });
    await Promise.race([this.#preparation!.ready, calledOff]).finally(forget);
    this.#isUnprepared = false;
  }

  /**
   * Runs the work in one leadership until it settles. Work that ignores its signal is abandoned when the option's
   * signal is aborted or the election is closed.
   */
  async #oneTenure(tenure: Tenure): Promise<Result<T>> {
    const { leadership } = tenure;
    tenure.hasWork = true;
    const calledOff = deferred<unknown>();
    const forget = onceAborted(this.#ends, (reason) => {
      if (!this.#candidacy.closed.aborted) {
        this.#candidacy.stepDown(tenure, this.#candidacy.loss('resigned', 'its program ended its candidacy'));
      }
      calledOff.resolve(reason);
    });
    const stopAsking = this.#health?.watch((problem) => this.#unfit(tenure, problem));
    const hasMore = stopAsking !== undefined || this.#preparation !== null;
    // The signal is made when it is first used, and most programs have neither.
    const stopPreparing = onceAborted([hasMore ? leadership.signal : undefined], (reason) => {
      stopAsking?.();
      this.#preparation?.end(reason);
    });
    try {
      if (calledOff.isSettled) return { ok: false, error: leadership.lost };
      const running = resultOf(() => this.#runWork(tenure));
      const first = await Promise.race([running, tenure.over.promise]);
      if (typeof first === 'object') return first;
      const then = await Promise.race([running, calledOff.promise.then((reason) => ({ reason }))]);
      if ('ok' in then) return then;
      const message = 'the work is still running although its leadership was released: it ignored its signal';
      throw new CaucusError('E_WORK_NOT_STOPPED', message, { outcome: 'indefinite', cause: then.reason });
    } finally {
      forget();
      stopAsking?.();
      stopPreparing();
      this.#preparation?.end(leadership.lost ?? undefined);
      this.#preparation = null;
    }
  }

  #runWork(tenure: Tenure): T | PromiseLike<T> {
    const { leadership } = tenure;
    // Without `prepare` there is nothing to hand over.
    if (this.#preparation === null) return this.#work(leadership, undefined as P);
    return this.#preparation.result().then((result) => {
      if (!result.ok && leadership.isValid()) {
        this.#isUnprepared = true;
        this.#unfit(tenure, `its preparation failed: ${problemOf(result.error)}`);
      }
      // Its work does not begin in a leadership that has ended.
      if (!result.ok || !leadership.isValid()) throw leadership.lost;
      return this.#work(leadership, result.value);
    });
  }

  #unfit(tenure: Tenure, problem: string): void {
    this.#candidacy.stepDown(tenure, this.#candidacy.loss('unhealthy', problem));
  }
}
