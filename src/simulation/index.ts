export type { DiskFault } from './disk.ts';
export type { Host } from './host.ts';
export type { Latency } from './latency.ts';
export { Ledger, type Stretch } from './ledger.ts';
export { drawManyStorm, type ManyOutcome, type ManyStorm, runManyStorm } from './many/index.ts';
export { DEFAULT_QUALITY, type LinkQuality, Network } from './network.ts';
export type { ProcessClock } from './process-clock.ts';
export { Queue } from './queue.ts';
export { outcomeOf, type Percentiles, type RunOutcome, type RunsResult, RunTotals } from './runs.ts';
export { type Action, type MemberSetup, readScenario, type Scenario, type WorldEvent } from './scenario.ts';
export { agreement, type FinalView, type Result, resultOf, runWorld, simulate } from './simulate.ts';
export type { Skip } from './skip.ts';
export type { Happening } from './surroundings.ts';
export {
  drawDeputyStorm,
  drawStorm,
  type Failure,
  runDeputyStorm,
  runSeed,
  runStorm,
  type Shrunk,
  type Storm,
  type SwarmOutcome,
  scenarioOf,
  shrink,
  swarmOutcome,
} from './swarm/index.ts';
export { ringOfMajorities } from './swarm/topologies.ts';
export { tidyMs, toUs } from './time.ts';
export { nameOfTwin } from './twins.ts';
export type { Violation } from './violation.ts';
export { World, type WorldOptions } from './world.ts';
