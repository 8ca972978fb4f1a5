/**
 * A cluster at rest: one member leads, all who vote name it, and for some time-outs nothing has happened but heartbeats. Then it
 * has nothing left to do that more time would show, and a swarm need not wait: most of a run would be spent on watching it.
 *
 * Example: three members agree two time-outs after the faults have stopped. Five time-outs later the exam begins, and not after
 * the 40 that they may take.
 */
import { tidyMs, toMs, toUs } from '../time.ts';
import type { World } from '../world.ts';
import { disagreement } from './disagreement.ts';
import { calmMsOf, type Storm } from './storm.ts';

/**
 * In time-outs. Longer than any time that a swarm draws for a protocol to wait before it tries something again; and where some
 * members are preferred to others, longer than the 20 heartbeats that one of them must answer before it is handed the lead.
 */
const REST = 5;
const REST_OF_RANKED = 10;

/** To one microsecond before: what is due at the moment itself comes after the event of that moment. */
const MOMENT_MS = 0.001;

/** Runs until all must have come to agree, or until the cluster is at rest: the storm with the time that it took to settle. */
export function settleSoon(storm: Storm, world: World): Storm {
  const calmMs = calmMsOf(storm);
  for (let settle = restOf(storm) + 1; ; settle++) {
    const soon = { ...storm, settle };
    const soonMs = calmMsOf(soon);
    if (soonMs >= calmMs) break;
    world.runUntil(soonMs - MOMENT_MS);
    if (world.agenda.nextUs < toUs(calmMs) || !isAtRest(storm, world)) continue;
    world.agenda.bringForward(soonMs);
    world.runUntil(soonMs);
    return soon;
  }
  world.runUntil(calmMs);
  return storm;
}

/** Runs until the cluster is at rest and no event is left that could disturb it, or until that moment at the latest. */
export function runUntilRest(storm: Storm, world: World, untilMs: number): void {
  const fromMs = toMs(world.nowUs);
  for (let passed = 0; fromMs + passed * storm.timeoutMs < untilMs; passed++) {
    world.runUntil(tidyMs(fromMs + passed * storm.timeoutMs));
    if (world.agenda.nextUs > toUs(untilMs) && isAtRest(storm, world)) return;
  }
  world.runUntil(untilMs);
}

function restOf({ members }: Storm): number {
  return members.every(({ priority = 1 }) => priority === 1) ? REST : REST_OF_RANKED;
}

function isAtRest(storm: Storm, world: World): boolean {
  const newsUs = world.processes.reduce((latest, host) => Math.max(latest, host.newsUs), world.actedUs);
  return world.nowUs - newsUs >= toUs(restOf(storm) * storm.timeoutMs) && disagreement(world) === null;
}
