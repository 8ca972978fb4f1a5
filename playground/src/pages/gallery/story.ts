import type { Json } from '../../../../src/core/index.ts';
import type { Action, WorldEvent } from '../../../../src/simulation/index.ts';
import { newRun } from '../../game/run/presets.ts';
import type { Run } from '../../game/run/run.ts';

/** When the fault begins, when it is healed, and when the run ends. By then every election has long had a leader. */
const WRONG_MS = 10_000;
export const MENDED_MS = 30_000;
const END_MS = 60_000;
/** With this seed the leader is 1 or 5 in every protocol, so that faults of these members matter to all. */
const SEED = 15;

/** A named scenario: the same fault for every protocol. */
export interface Story {
  readonly name: string;
  readonly title: string;
  readonly says: string;
  /** Why it ends as it does, if that may surprise. */
  readonly note?: string;
  readonly members: number;
  readonly events: readonly WorldEvent[];
  readonly network?: Readonly<Record<string, Json>>;
  /** When members start that do not start at once. */
  readonly starts?: Readonly<Record<number, number>>;
}

export function story(
  name: string,
  title: string,
  says: string,
  events: readonly (Action & { atMs?: number })[],
  more: Partial<Story> = {},
): Story {
  return {
    name,
    title,
    says,
    members: 5,
    events: events.map((event) => ({ ...event, atMs: event.atMs ?? WRONG_MS })),
    ...more,
  };
}

/** The story as a run of this protocol. */
export function runOf(story: Story, protocol: string): Run {
  const run = newRun(protocol, story.members, SEED);
  const { starts, network } = story;
  const ids = Array.from({ length: story.members }, (_, i) => i + 1);
  return {
    ...run,
    ...(starts && { members: ids.map((id): Json => ({ id, startMs: starts[id] ?? 0 })) }),
    network: { ...run.network, ...network },
    untilMs: END_MS,
    events: story.events,
  };
}
