import type { MemberId } from '../core/index.ts';
import type { Selector } from './scenario.ts';
import type { World } from './world.ts';

/** Why an event of a scenario did nothing, as the trace records it. `src/story` puts it into words. */
export type Skip =
  | { readonly skipped: 'no-match'; readonly selector: Selector }
  | { readonly skipped: 'no-link'; readonly selectors: readonly [from: Selector, to: Selector] }
  /** The named members cannot do it now: for example a crash of one that is down. */
  | { readonly skipped: 'no-effect' }
  | { readonly skipped: 'not-running'; readonly of: MemberId }
  | { readonly skipped: 'none-running' }
  | { readonly skipped: 'has-second-process'; readonly of: MemberId }
  | { readonly skipped: 'no-second-process' }
  | { readonly skipped: 'never-had-second-process'; readonly of: MemberId }
  | { readonly skipped: 'no-earlier-process'; readonly of: MemberId }
  | { readonly skipped: 'not-held' }
  | { readonly skipped: 'not-in-flight'; readonly flight: number }
  | { readonly skipped: 'fixed-membership'; readonly protocol: string };

export function skip(world: World, what: string, why: Skip): void {
  world.note({ do: what, ...why });
}
