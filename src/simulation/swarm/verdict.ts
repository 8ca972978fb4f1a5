import type { Definition } from '../../core/index.ts';
import { isInForce } from '../../properties/index.ts';
import { outcomeOf, type RunOutcome } from '../runs.ts';
import { readScenario } from '../scenario.ts';
import { toMs } from '../time.ts';
import { World, type WorldOptions } from '../world.ts';
import { runUntilRest, settleSoon } from './at-rest.ts';
import { disagreement } from './disagreement.ts';
import { drawStorm } from './draw.ts';
import type { Failure } from './failure.ts';
import { sitExam } from './sit-exam.ts';
import { calmMsOf, type Storm, scenarioOf, someoneMayLead, untilMsOf } from './storm.ts';

export interface StormOptions extends WorldOptions {
  /** Does not wait while the cluster is at rest: the exam begins, and the run ends, as soon as it is. */
  readonly untilRest?: boolean;
  /** The same for a storm without an exam. */
  readonly endsAtRest?: boolean;
  /** A last trial of a cluster that is well and agrees. */
  readonly trial?: (world: World) => Failure | null;
}

export interface Verdict {
  readonly world: World;
  /** The storm as it ran: it may have settled in less time than it was given. Its scenario replays what was judged. */
  readonly storm: Storm;
  readonly settled: boolean;
  readonly failure: Failure | null;
}

/** What is kept of one run of a swarm. */
export interface SwarmOutcome extends RunOutcome {
  readonly failure: Failure | null;
}

/** One run in this many waits the full time: a cluster may also break after a long rest. */
const LONG = 16;

/** Draws a storm from the seed and runs it, as a swarm does. */
export function runSeed(definition: Definition, seed: number, options: WorldOptions = {}): Verdict {
  return runStorm(drawStorm(definition, seed), definition, { ...options, untilRest: seed % LONG !== 0 });
}

/** What is kept of the run of a seed. `agreed`: the voters agree, whatever other processes there are. */
export function swarmOutcome(definition: Definition, seed: number): SwarmOutcome {
  const { world, settled, failure } = runSeed(definition, seed, { hash: 'moments' });
  return { ...outcomeOf(world), agreed: settled, failure };
}

/**
 * The longest runs take some ten thousand steps. Without a limit, members that answer each other endlessly would stop
 * the whole swarm (seed 8224 of `quorum`), and no failure would be reported.
 */
const MOST_STEPS = 500_000;

/** Runs a storm from its own seed and judges it: when all must agree, in the exam, and at its end. */
export function runStorm(storm: Storm, definition: Definition, options: StormOptions = {}): Verdict {
  const scenario = readScenario(scenarioOf(storm), { [definition.name]: definition });
  const world = new World(scenario, storm.seed, { mostSteps: MOST_STEPS, isClosed: true, ...options });
  const mayRest = options.endsAtRest === true || (options.untilRest === true && storm.exam);
  const untilRest = mayRest && storm.endMs === null;
  let ran = storm;
  let settled = false;
  let failure: Failure | null = null;
  try {
    if (storm.endMs === null) {
      if (untilRest) ran = settleSoon(storm, world);
      else world.runUntil(calmMsOf(storm));
      settled = disagreement(world) === null;
      failure = notSettled(storm, world);
      if (storm.exam && failure === null && isWell(storm, world)) failure = sitExam(ran, world);
    }
    if (!untilRest) world.runUntil(scenario.untilMs);
    else if (isPromised(storm, world)) runUntilRest(storm, world, untilMsOf(ran));
    if (storm.endMs !== null) settled = disagreement(world) === null;
    else failure ??= notSettled(storm, world);
    if (settled && failure === null && isWell(storm, world)) failure = options.trial?.(world) ?? null;
  } catch (error) {
    settled = false;
    ran = { ...ran, endMs: toMs(world.nowUs) }; // What follows does not matter, and may never end.
    failure = { property: 'error', atMs: toMs(world.nowUs), detail: (error as Error).message };
  }
  world.finish();
  const broken = world.violations.find((violation) => violation.claimed);
  if (broken !== undefined && failure?.property !== 'error') {
    failure = { property: broken.property, atMs: broken.atMs, detail: broken.detail };
  }
  return { world, storm: ran, settled, failure };
}

function notSettled(storm: Storm, world: World): Failure | null {
  const detail = mustSettle(storm, world) ? disagreement(world) : null;
  return detail === null ? null : { property: 'L1', atMs: toMs(world.nowUs), detail };
}

/**
 * All members run and hear each other for long enough, so all must agree, whatever happened before: members that
 * joined or left, disks that were lost one at a time, restored or copied. The exception is when what a leader needs
 * may be gone: when two members were without their disks at the same time, or the only one of a membership was.
 */
function mustSettle(storm: Storm, world: World): boolean {
  return someoneMayLead(storm) && !world.broken.has('one-disk');
}

/** Is anything promised of the rest of this run? Otherwise only a protocol that throws could still fail it. */
function isPromised(storm: Storm, world: World): boolean {
  return mustSettle(storm, world) || world.protocol.pledges.some((pledge) => isInForce(pledge, world.broken));
}

/** A member whose disk was copied may be taken for the copy by some members, which then ignore it. */
function isWell(storm: Storm, world: World): boolean {
  return mustSettle(storm, world) && !world.broken.has('no-copy');
}
