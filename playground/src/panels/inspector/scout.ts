import { World, type WorldEvent } from '../../../../src/simulation/index.ts';
import { scenarioOf } from '../../game/run/run.ts';
import type { Timeline } from '../../game/run/timeline.ts';

/**
 * Plays a run a second time, up to any moment, for what the history does not keep: the inner state of members. It
 * goes forward as long as it can, and starts again for an earlier moment.
 */
export class Scout {
  #timeline: Timeline | null = null;
  #world: World | null = null;

  /** The world at that moment. It is for reading only. */
  worldAt(timeline: Timeline, ms: number): World {
    if (ms >= timeline.headMs) return timeline.world;
    let world = this.#world;
    if (world === null || timeline !== this.#timeline || world.nowUs > Math.round(ms * 1000)) {
      // The list of events is the timeline's own, so that later manual actions are found here too.
      const events = timeline.events as WorldEvent[];
      world = new World(scenarioOf({ ...timeline.run, events: [] }, events), timeline.run.seed);
    }
    world.runUntil(ms);
    this.#world = world;
    this.#timeline = timeline;
    return world;
  }
}
