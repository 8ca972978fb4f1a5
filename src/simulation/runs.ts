import { assert } from '../core/index.ts';
import { Digest } from './digest.ts';
import { resultOf } from './simulate.ts';
import { toMs, toUs } from './time.ts';
import type { World } from './world.ts';

/** What is kept of one run among many. Plain data, so that it can be sent between threads. */
export interface RunOutcome {
  readonly seed: number;
  readonly hash: string;
  readonly agreed: boolean;
  readonly changes: number;
  readonly darkMs: number;
  readonly doubleMs: number;
  readonly messages: Readonly<Record<string, number>>;
  /** The length of each time without a leader that ended with a new one. */
  readonly gapsMs: readonly number[];
  readonly firstMs: number | null;
  readonly violations: readonly { readonly property: string; readonly claimed: boolean }[];
}

/** Null if there was nothing to measure. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Some seeds, and how many there are in all. */
interface Seeds {
  readonly seeds: readonly number[];
  readonly count: number;
}

/** The result of many runs: the object that `caucus simulate --runs N --json` prints. */
export interface RunsResult {
  readonly protocol: string;
  readonly seeds: { readonly from: number; readonly to: number };
  readonly runs: number;
  readonly untilMs: number;
  /** How many runs ended with one leader that all members name. */
  readonly agreed: number;
  readonly changes: number;
  readonly darkMs: number;
  readonly doubleMs: number;
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  readonly failoverMs: Percentiles;
  readonly firstLeaderMs: Percentiles;
  readonly violations: readonly {
    readonly property: string;
    readonly claimed: boolean;
    readonly runs: number;
    readonly firstSeed: number;
  }[];
  /** The runs that broke a promise. */
  readonly broken: Seeds;
  readonly notAgreed: Seeds;
  /** Over the hashes of all runs, in the order of their seeds. */
  readonly hash: string;
}

export function outcomeOf(world: World): RunOutcome {
  const { seed, hash, final, changes, darkMs, doubleMs, messages, violations } = resultOf(world);
  const { gapsMs, firstMs } = world.coverage;
  return {
    seed,
    hash,
    agreed: final.agreed,
    changes,
    darkMs,
    doubleMs,
    messages: messages.byType,
    gapsMs,
    firstMs,
    violations: violations.map(({ property, claimed }) => ({ property, claimed })),
  };
}

const NAMED_SEEDS = 20;

/** Adds up runs in the order of their seeds, so that the sum does not depend on threads. */
export class RunTotals {
  readonly #protocol: string;
  readonly #untilMs: number;
  readonly #fromSeed: number;
  readonly #digest = new Digest();
  readonly #messages = new Map<string, number>();
  readonly #gapsMs: number[] = [];
  readonly #firstsMs: number[] = [];
  readonly #violations = new Map<
    string,
    { property: string; claimed: boolean; runs: number; firstSeed: number }
  >();
  readonly #broken = { seeds: [] as number[], count: 0 };
  readonly #notAgreed = { seeds: [] as number[], count: 0 };
  #runs = 0;
  #changes = 0;
  // Microseconds are whole numbers, so their sums are exact.
  #darkUs = 0;
  #doubleUs = 0;

  constructor(protocol: string, untilMs: number, fromSeed: number) {
    this.#protocol = protocol;
    this.#untilMs = untilMs;
    this.#fromSeed = fromSeed;
  }

  get runs(): number {
    return this.#runs;
  }

  add(outcome: RunOutcome): void {
    assert(outcome.seed === this.#fromSeed + this.#runs, `run ${outcome.seed} was added out of order`);
    this.#runs += 1;
    this.#changes += outcome.changes;
    this.#darkUs += toUs(outcome.darkMs);
    this.#doubleUs += toUs(outcome.doubleMs);
    for (const [type, count] of Object.entries(outcome.messages)) {
      this.#messages.set(type, (this.#messages.get(type) ?? 0) + count);
    }
    for (const gapMs of outcome.gapsMs) this.#gapsMs.push(gapMs);
    if (outcome.firstMs !== null) this.#firstsMs.push(outcome.firstMs);
    this.#digest.number(Number.parseInt(outcome.hash.slice(0, 8), 16));
    this.#digest.number(Number.parseInt(outcome.hash.slice(8), 16));
    if (!outcome.agreed) note(this.#notAgreed, outcome.seed);
    if (outcome.violations.some((violation) => violation.claimed)) note(this.#broken, outcome.seed);
    this.#countViolations(outcome);
  }

  result(): RunsResult {
    const byType = Object.fromEntries([...this.#messages].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      protocol: this.#protocol,
      seeds: { from: this.#fromSeed, to: this.#fromSeed + this.#runs - 1 },
      runs: this.#runs,
      untilMs: this.#untilMs,
      agreed: this.#runs - this.#notAgreed.count,
      changes: this.#changes,
      darkMs: toMs(this.#darkUs),
      doubleMs: toMs(this.#doubleUs),
      messages: { total: Object.values(byType).reduce((sum, count) => sum + count, 0), byType },
      failoverMs: percentiles(this.#gapsMs),
      firstLeaderMs: percentiles(this.#firstsMs),
      violations: [...this.#violations]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, violation]) => violation),
      broken: this.#broken,
      notAgreed: this.#notAgreed,
      hash: this.#digest.toString(),
    };
  }

  /** A run counts once for each property, however often it broke it. */
  #countViolations({ violations, seed }: RunOutcome): void {
    const inThisRun = new Set<string>();
    for (const { property, claimed } of violations) {
      const key = `${claimed ? 'a' : 'b'} ${property}`; // Broken promises come first.
      if (inThisRun.has(key)) continue;
      inThisRun.add(key);
      const known = this.#violations.get(key);
      if (known === undefined) this.#violations.set(key, { property, claimed, runs: 1, firstSeed: seed });
      else known.runs += 1;
    }
  }
}

function note(list: { readonly seeds: number[]; count: number }, seed: number): void {
  list.count += 1;
  if (list.seeds.length < NAMED_SEEDS) list.seeds.push(seed);
}

/** By nearest rank: every percentile is a measured value. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const rank = (share: number): number | null =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
  return { count: sorted.length, p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: rank(1) };
}
