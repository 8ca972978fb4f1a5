/**
 * Replicas that follow the rules of `once`, with a crash at every point: before and after each publication, and within the
 * work. Every sequence of choices is tried, within the bounds.
 */
import {
  type Actor,
  begin,
  decide,
  EMPTY_RECORD,
  end,
  type Occasion,
  type OnceRecord,
  seriesIn,
  type Wish,
} from '../../src/once/index.ts';

/** The rules that are tried. */
export interface Rules {
  readonly decide: typeof decide;
  readonly begin: typeof begin;
  readonly end: typeof end;
}

export const rules: Rules = { decide, begin, end };

export interface Bounds {
  readonly occasions: readonly Occasion[];
  readonly crashes: number;
  readonly failures: number;
  readonly retries: number;
  readonly maxAttempts: number;
}

const SERIES = 'main';

class Crash extends Error {}

/** One run: what happens at each choice is taken from a list, and 0 beyond its end. */
class Run {
  readonly taken: { readonly choice: number; readonly of: number }[] = [];
  readonly broken = new Set<string>();
  readonly #given: readonly number[];
  readonly #rules: Rules;
  readonly #bounds: Bounds;
  #record: OnceRecord = EMPTY_RECORD;
  #token = 0;
  #crashes = 0;
  #failures = 0;
  #clock = 0;
  /** What each occasion was first recorded as. */
  readonly #ends = new Map<Occasion, string>();
  readonly #worked = new Set<string>();
  readonly #attempts = new Map<Occasion, number[]>();

  constructor(given: readonly number[], tried: Rules, bounds: Bounds) {
    this.#given = given;
    this.#rules = tried;
    this.#bounds = bounds;
  }

  play(): void {
    for (const occasion of this.#bounds.occasions) {
      // After the last crash a replica does it without one; one more finds it done.
      for (let lives = 0; lives < this.#bounds.crashes + 3; lives++) this.#life(occasion);
      if (!this.#ends.has(occasion)) this.broken.add('an occasion never ends');
    }
    const order = [...this.#ends.keys()];
    if (order.some((each, i) => i > 0 && each <= order[i - 1]!))
      this.broken.add('occasions end out of order');
  }

  /** A replica is elected and follows the rules, until it is done or crashes. */
  #life(occasion: Occasion): void {
    this.#token += 1;
    const token = String(this.#token);
    const wish: Wish = {
      occasion,
      series: SERIES,
      misfire: 'run',
      lateMs: 0,
      retries: this.#bounds.retries,
      maxAttempts: this.#bounds.maxAttempts,
    };
    try {
      let failures: number | null = null;
      for (;;) {
        const decision = this.#rules.decide(this.#record, wish, 0);
        if (decision.do === 'answer' || decision.do === 'refuse') return;
        if (decision.do === 'end')
          return this.#publish(this.#rules.end(this.#record, wish, decision, this.#actor(token)));
        const begun: { attempt: number; failures: number } = {
          attempt: decision.attempt,
          failures: failures ?? decision.failures,
        };
        this.#publish(this.#rules.begin(this.#record, wish, begun, this.#actor(token)));
        const isDone = this.#work(occasion, token, begun.attempt);
        failures = begun.failures + (isDone ? 0 : 1);
        if (isDone || failures > wish.retries) {
          const outcome = isDone ? ('done' as const) : ('failed' as const);
          return this.#publish(this.#rules.end(this.#record, wish, { outcome }, this.#actor(token)));
        }
      }
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }

  #work(occasion: Occasion, token: string, attempt: number): boolean {
    if (this.#ends.has(occasion)) this.broken.add('work begins after its end was recorded');
    const before = this.#attempts.get(occasion) ?? [];
    if (before.some((each) => each >= attempt))
      this.broken.add('an attempt has the number of an earlier one');
    this.#attempts.set(occasion, [...before, attempt]);
    if (before.length >= this.#bounds.maxAttempts) this.broken.add('work begins more often than it may');
    this.#mayCrash();
    const mayFail = this.#failures < this.#bounds.failures;
    if (mayFail && this.#choose(2) === 1) {
      this.#failures += 1;
      return false;
    }
    this.#worked.add(`${occasion} ${token}`);
    return true;
  }

  /** It may crash before the store has the value, or before it hears that the store has it. */
  #publish(next: OnceRecord): void {
    this.#mayCrash();
    this.#record = next;
    const { last } = seriesIn(next, SERIES);
    for (const run of [...next.runs, ...(last === null ? [] : [last])]) {
      const told = `${run.outcome} ${run.token}`;
      const before = this.#ends.get(run.occasion);
      if (before === undefined) this.#ends.set(run.occasion, told);
      else if (before !== told) this.broken.add('two ends are recorded');
      if (run.outcome === 'done' && !this.#worked.has(`${run.occasion} ${run.token}`))
        this.broken.add('done is recorded without work');
    }
    for (const known of this.#ends.keys())
      if (!next.runs.some(({ occasion }) => occasion === known)) this.broken.add('an end is forgotten');
    this.#mayCrash();
  }

  #mayCrash(): void {
    if (this.#crashes === this.#bounds.crashes || this.#choose(2) === 0) return;
    this.#crashes += 1;
    throw new Crash();
  }

  #actor(token: string): Actor {
    this.#clock += 1;
    return { member: `m${token}`, token, at: new Date(this.#clock).toISOString() };
  }

  #choose(of: number): number {
    const choice = this.#given[this.taken.length] ?? 0;
    this.taken.push({ choice, of });
    return choice;
  }
}

/** All runs, one for each sequence of choices. */
export function explore(
  tried: Rules,
  bounds: Bounds,
): { readonly runs: number; readonly broken: readonly string[] } {
  const broken = new Set<string>();
  let runs = 0;
  for (let given: number[] | null = []; given !== null; ) {
    const run = new Run(given, tried, bounds);
    try {
      run.play();
    } catch (error) {
      run.broken.add(`a broken rule is noticed: ${(error as Error).message}`);
    }
    runs += 1;
    for (const each of run.broken) broken.add(each);
    given = nextOf(run.taken);
  }
  return { runs, broken: [...broken].sort() };
}

function nextOf(taken: readonly { readonly choice: number; readonly of: number }[]): number[] | null {
  for (let last = taken.length - 1; last >= 0; last--) {
    const { choice, of } = taken[last]!;
    if (choice + 1 < of) return [...taken.slice(0, last).map((each) => each.choice), choice + 1];
  }
  return null;
}
