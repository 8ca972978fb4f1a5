import { type Definition, type MemberId, majority } from '../../core/index.ts';
import { outcomeOf, type RunOutcome } from '../runs.ts';
import { readScenario } from '../scenario.ts';
import { toMs } from '../time.ts';
import { World, type WorldOptions } from '../world.ts';
import { drawStorm } from './draw.ts';
import type { Failure } from './failure.ts';
import { sitExam } from './sit-exam.ts';
import { calmMsOf, type Storm, scenarioOf, someoneMayLead } from './storm.ts';

export interface Verdict {
  readonly world: World;
  readonly settled: boolean;
  readonly failure: Failure | null;
}

/** What is kept of one run of a swarm. */
export interface SwarmOutcome extends RunOutcome {
  readonly failure: Failure | null;
}

/** Draws a storm from the seed and runs it. `agreed` says that those who vote agree, whoever else there is. */
export function swarmOutcome(definition: Definition, seed: number): SwarmOutcome {
  const { world, settled, failure } = runStorm(drawStorm(definition, seed), definition, {
    hash: 'moments',
  });
  return { ...outcomeOf(world), agreed: settled, failure };
}

/** Runs a storm from its own seed and judges it: when all must have come to agree, in the exam, and at its end. */
export function runStorm(storm: Storm, definition: Definition, options: WorldOptions = {}): Verdict {
  const scenario = readScenario(scenarioOf(storm), { [definition.name]: definition });
  const world = new World(scenario, storm.seed, options);
  let settled = false;
  let failure: Failure | null = null;
  try {
    if (storm.endMs === null) {
      world.runUntil(calmMsOf(storm));
      settled = disagreement(world) === null;
      failure = notSettled(storm, world);
      if (storm.exam && failure === null && isWell(storm, world)) failure = sitExam(storm, world);
    }
    world.runUntil(scenario.untilMs);
    if (storm.endMs !== null) settled = disagreement(world) === null;
    else failure ??= notSettled(storm, world);
  } catch (error) {
    settled = false;
    failure = { property: 'error', atMs: toMs(world.nowUs), detail: (error as Error).message };
  }
  world.finish();
  const broken = world.violations.find((violation) => violation.claimed);
  if (broken !== undefined && failure?.property !== 'error') {
    failure = { property: broken.property, atMs: broken.atMs, detail: broken.detail };
  }
  return { world, settled, failure };
}

function notSettled(storm: Storm, world: World): Failure | null {
  const detail = mustSettle(storm, world) ? disagreement(world) : null;
  return detail === null ? null : { property: 'L1', atMs: toMs(world.nowUs), detail };
}

/**
 * All members run and hear each other for long enough, so all must come to agree, whatever happened before: members that joined
 * or left, disks that were lost one at a time, restored or copied. It is not asked for where what a leader needs may be gone:
 * when two members were without their disks at the same time, or the only one of a membership was.
 */
function mustSettle(storm: Storm, world: World): boolean {
  return someoneMayLead(storm) && !world.broken.has('one-disk');
}

/** A member whose disk was copied may be taken for the copy by some, and then is no help to them. */
function isWell(storm: Storm, world: World): boolean {
  return mustSettle(storm, world) && !world.broken.has('no-copy');
}

/**
 * Null if exactly one member leads and all who vote beside it name it; else who believes what. Who votes is said by the leader,
 * where the membership can change: who was removed, or never added, may believe what it likes, except that it leads. After a
 * disk was copied a majority is enough: the others may take the member for its copy, and believe nothing that it says.
 */
function disagreement(world: World): string | null {
  const running = [...world.hosts.values()].filter((host) => host.alive && !host.paused);
  const leaders = running.filter((host) => host.view.role === 'leader');
  const leader = leaders[0];
  if (leaders.length === 1 && leader !== undefined) {
    const voters = leader.view.members ?? running.map((host) => host.id);
    const named = running.filter((host) => voters.includes(host.id) && host.view.leader === leader.id).length;
    const voting = running.filter((host) => voters.includes(host.id)).length;
    const needed = world.broken.has('no-copy') ? Math.min(voting, majority(voters.length)) : voting;
    if (named >= needed && voters.includes(leader.id)) return null;
  }
  const camps = new Map<MemberId | null, MemberId[]>();
  for (const { id, view } of running) camps.set(view.leader, [...(camps.get(view.leader) ?? []), id]);
  const words = [...camps].map(([named, by]) => `${by.join(', ')} → ${named ?? 'nobody'}`);
  return `whom each names: ${words.length === 0 ? 'nobody runs' : words.join('; ')}`;
}
