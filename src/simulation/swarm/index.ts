export { drawStorm } from './draw.ts';
export { type Shrunk, shrink } from './shrink.ts';
export { type Storm, scenarioOf } from './storm.ts';
export {
  type Failure,
  judge,
  runStorm,
  type SwarmOutcome,
  swarmOutcome,
} from './verdict.ts';
