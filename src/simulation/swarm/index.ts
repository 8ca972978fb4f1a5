export { drawDeputyStorm } from './deputy-storms/draw.ts';
export { runDeputyStorm } from './deputy-storms/run.ts';
export { drawStorm } from './draw.ts';
export type { Failure } from './failure.ts';
export { type Shrunk, shrink } from './shrink.ts';
export { type Storm, scenarioOf } from './storm.ts';
export {
  runSeed,
  runStorm,
  type SwarmOutcome,
  swarmOutcome,
} from './verdict.ts';
