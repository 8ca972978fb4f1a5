import type { Json } from '../../../../src/core/index.ts';
import type { History } from '../../game/history/history.ts';
import type { Run } from '../../game/run/run.ts';
import { Timeline } from '../../game/run/timeline.ts';
import type { Heading } from './trace-lines.ts';

/** A recorded history in place of a world: it can be watched, and goes no further. */
export class RecordedTimeline extends Timeline {
  readonly #headMs: number;

  constructor(heading: Heading, history: History, headMs: number) {
    super(runOf(heading));
    Object.assign(this, { history }); // In the place of the history of a world that never runs.
    this.#headMs = headMs;
  }

  override get headMs(): number {
    return this.#headMs;
  }

  override extendTo(ms: number): boolean {
    return ms <= this.#headMs;
  }

  override next(): boolean {
    return false;
  }

  override act(): number {
    return this.#headMs;
  }
}

function runOf({ definition, members, timing, options, seed }: Heading): Run {
  return {
    protocol: definition.name,
    members: members as readonly Json[],
    timing,
    options,
    seed: seed ?? 1,
    untilMs: 1,
    events: [],
  };
}
