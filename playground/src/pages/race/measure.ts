import { catalogue } from '../../../../src/protocols/index.ts';
import { outcomeOf, RunTotals, readScenario, runWorld } from '../../../../src/simulation/index.ts';
import type { Run } from '../../game/run/run.ts';

/** The result of many seeds, for one protocol. */
export interface Measured {
  readonly protocol: string;
  readonly seeds: number;
  /** Every gap without a leader that ended with a new one; null if there was none. */
  readonly takeoverMs: { readonly p50: number | null; readonly p99: number | null };
  readonly doubleMs: number;
  readonly messages: number;
}

/** Plays the run with one seed after the other, and yields the result so far after each. */
export function* measure(run: Run, seeds: number): Generator<Measured, Measured> {
  const scenario = readScenario(run, catalogue);
  const totals = new RunTotals(run.protocol, run.untilMs, 1);
  let measured: Measured = {
    protocol: run.protocol,
    seeds: 0,
    takeoverMs: { p50: null, p99: null },
    doubleMs: 0,
    messages: 0,
  };
  for (let seed = 1; seed <= seeds; seed++) {
    totals.add(outcomeOf(runWorld(scenario, seed)));
    const { failoverMs, doubleMs, messages } = totals.result();
    measured = {
      protocol: run.protocol,
      seeds: seed,
      takeoverMs: { p50: failoverMs.p50, p99: failoverMs.p99 },
      doubleMs: doubleMs / seed,
      messages: messages.total / seed,
    };
    yield measured;
  }
  return measured;
}
