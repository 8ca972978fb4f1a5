export {
  type AskedCommand,
  type Bounds,
  type CountedNetwork,
  DEFAULT_BOUNDS,
  describeBounds,
  type Fault,
  mostOf,
} from './bounds.ts';
export type { Setup } from './cluster.ts';
export type { Eventually } from './eventually.ts';
export { type Exploration, Explorer, type Exploring, explore, type Violation } from './explorer.ts';
export type { Act } from './path.ts';
export { type Replay, replayOf } from './replay.ts';
export { retell, type Told, traceOf } from './retelling.ts';
export { type Direction, describeScript, type Script } from './script.ts';
export type { Progress } from './search.ts';
