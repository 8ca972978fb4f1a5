/**
 * A cluster at rest: one member leads, all voters name it, and for some timeouts nothing has happened but heartbeats.
 * More time would show nothing new, so a swarm need not wait: most of a run would be spent on waiting.
 *
 * Example: three members agree two timeouts after the faults have stopped. Five timeouts later the exam begins, and
 * not after the 40 that they may take.
 */
import { tidyMs, toMs, toUs } from '../time.ts';
import type { World } from '../world.ts';
import { disagreement } from './disagreement.ts';
import { calmMsOf, type Storm } from './storm.ts';

/**
 * In timeouts. Longer than any delay of a retry that a swarm draws; and if some members are preferred to others,
 * longer than the 20 heartbeats that one of them must answer before it gets the leadership.
 */
const REST = 5;
const REST_OF_RANKED = 10;

/** One microsecond before: the scenario's event of that moment comes first. */
const MOMENT_MS = 0.001;

/**
 * Runs until all must agree, or until the cluster is at rest: returns the storm with the time that it took to settle.
 */
export function settleSoon(storm: Storm, world: World): Storm {
  const calmMs = calmMsOf(storm);
  for (let settle = restOf(storm) + 1; ; settle++) {
    const soonMs = calmMsOf(storm, settle);
    if (soonMs >= calmMs) break;
    world.runUntil(soonMs - MOMENT_MS);
    if (world.agenda.nextUs < toUs(calmMs) || !isAtRest(storm, world)) continue;
    world.agenda.bringForward(soonMs);
    world.runUntil(soonMs);
    return { ...storm, settle };
  }
  world.runUntil(calmMs);
  return storm;
}

/** Runs until the cluster is at rest and no event is left that could disturb it, at most until that moment. */
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

/** A process whose disk was full is not at rest before its host has retried. */
function isAtRest(storm: Storm, world: World): boolean {
  if (world.processes.some((host) => host.alive && host.illness !== null)) return false;
  const newsUs = world.processes.reduce((latest, host) => Math.max(latest, host.newsUs), world.actedUs);
  return world.nowUs - newsUs >= toUs(restOf(storm) * storm.timeoutMs) && disagreement(world) === null;
}
