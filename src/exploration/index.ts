export { type Exploration, Explorer, type Exploring, explore, type Violation } from './explorer.ts';
export {
  type AskedCommand,
  type Bounds,
  type CountedNetwork,
  DEFAULT_BOUNDS,
  type Fault,
  mostOf,
  type PromptNetwork,
} from './model/bounds.ts';
export type { Setup } from './model/cluster.ts';
export type { Direction, Script } from './model/script.ts';
export type { Eventually } from './search/eventually.ts';
export type { Progress } from './search/search.ts';
export { describeBounds, describeScript } from './tell/describe.ts';
export type { Act } from './tell/path.ts';
export { type Replay, replayOf } from './tell/replay.ts';
export { retell, type Told, traceOf } from './tell/retelling.ts';
