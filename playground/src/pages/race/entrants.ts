import type { Action } from '../../../../src/simulation/index.ts';
import type { Run } from '../../game/run/run.ts';
import { STORIES } from '../gallery/scenarios.ts';
import { runOf } from '../gallery/story.ts';

export const MOST_ENTRANTS = 4;
export const LEAST_ENTRANTS = 2;

/** The runs of a race: one scenario, one seed, and one run for each protocol. */
export function racesOf(story: string, protocols: readonly string[], seed: number): Run[] {
  const found = STORIES.find(({ name }) => name === story) ?? STORIES[0]!;
  return protocols.map((protocol) => ({ ...runOf(found, protocol), seed }));
}

/** The runs with all manual actions, each for its whole length. */
export function asRaced(
  runs: readonly Run[],
  timelines: readonly { readonly events: Run['events'] }[],
): Run[] {
  return runs.map((run, i) => ({ ...run, events: timelines[i]!.events }));
}

/** How many manual actions there were, each on all runs at once. */
export function handsIn(run: Run, { events }: { readonly events: Run['events'] }): number {
  const planned = new Set(run.events.map(({ atMs }) => atMs));
  return new Set(events.map(({ atMs }) => atMs).filter((atMs) => !planned.has(atMs))).size;
}

/** Adds or removes one, but never below two or above four. */
export function toggled(protocols: readonly string[], name: string): readonly string[] {
  if (protocols.includes(name)) {
    return protocols.length <= LEAST_ENTRANTS ? protocols : protocols.filter((each) => each !== name);
  }
  return protocols.length >= MOST_ENTRANTS ? protocols : [...protocols, name];
}

interface Fault {
  readonly name: string;
  readonly actions: readonly Action[];
}

/** Manual actions on all of them, whichever member leads in each. */
export function faultsFor(members: number): readonly Fault[] {
  const half = Array.from({ length: members >> 1 }, (_, i) => i + 1);
  return [
    { name: 'Kill the leader', actions: [{ do: 'crash', member: 'leader' }] },
    { name: 'Pause the leader', actions: [{ do: 'pause', member: 'leader' }] },
    { name: 'Isolate the leader', actions: [{ do: 'partition', groups: [['leader'], ['followers']] }] },
    { name: 'Halves', actions: [{ do: 'partition', groups: [half, ['all']] }] },
    {
      name: 'Heal and restart',
      actions: [{ do: 'heal' }, { do: 'resume', member: 'all' }, { do: 'restart', member: 'all' }],
    },
  ];
}
