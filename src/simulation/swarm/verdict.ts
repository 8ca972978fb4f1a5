import type { Definition, MemberId } from '../../core/index.ts';
import { outcomeOf, type RunOutcome } from '../runs.ts';
import { readScenario } from '../scenario.ts';
import { toMs } from '../time.ts';
import { World, type WorldOptions } from '../world.ts';
import { drawStorm } from './draw.ts';
import { type Storm, scenarioOf, someoneMayLead, untilMsOf } from './storm.ts';

/** What is wrong with a run: a promise that was broken, no leader that all agree on, or a protocol that threw. */
export interface Failure {
  /** The name of the property, `L1` (all agree on a leader once the faults have stopped), or `error`. */
  readonly property: string;
  readonly atMs: number;
  readonly detail: string;
}

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
  const { world, settled, failure } = runStorm(drawStorm(definition, seed), definition);
  return { ...outcomeOf(world), agreed: settled, failure };
}

/** Runs a storm from its own seed and judges it. */
export function runStorm(storm: Storm, definition: Definition, options: WorldOptions = {}): Verdict {
  const scenario = readScenario(scenarioOf(storm), { [definition.name]: definition });
  const world = new World(scenario, storm.seed, options);
  let thrown: Error | null = null;
  try {
    world.runUntil(scenario.untilMs);
  } catch (error) {
    thrown = error as Error;
  }
  world.finish();
  return judge(storm, world, thrown);
}

export function judge(storm: Storm, world: World, thrown: Error | null = null): Verdict {
  const beliefs = disagreement(world);
  const settled = thrown === null && beliefs === null;
  const broken = world.violations.find((violation) => violation.claimed);
  let failure: Failure | null = null;
  if (thrown !== null) failure = { property: 'error', atMs: toMs(world.nowUs), detail: thrown.message };
  else if (broken !== undefined)
    failure = { property: broken.property, atMs: broken.atMs, detail: broken.detail };
  else if (beliefs !== null && mustSettle(storm, world))
    failure = { property: 'L1', atMs: untilMsOf(storm), detail: beliefs };
  return { world, settled, failure };
}

/**
 * Everybody runs and hears everybody for long enough, so all must come to agree, whatever happened before. It is not asked for
 * where what a leader needs may be gone: when two members lost their disks, or one whom the others cannot help.
 */
function mustSettle(storm: Storm, world: World): boolean {
  return storm.endMs === null && someoneMayLead(storm) && !world.broken.has('one-disk');
}

/**
 * Null if exactly one member leads and all who vote beside it name it; else who believes what. Who votes is said by the leader,
 * where the membership can change: who was removed, or never added, may believe what it likes, except that it leads.
 */
function disagreement(world: World): string | null {
  const running = [...world.hosts.values()].filter((host) => host.alive && !host.paused);
  const leaders = running.filter((host) => host.view.role === 'leader');
  const leader = leaders[0];
  if (leaders.length === 1 && leader !== undefined) {
    const voters = leader.view.members ?? running.map((host) => host.id);
    const named = running.every((host) => !voters.includes(host.id) || host.view.leader === leader.id);
    if (named && voters.includes(leader.id)) return null;
  }
  const camps = new Map<MemberId | null, MemberId[]>();
  for (const { id, view } of running) camps.set(view.leader, [...(camps.get(view.leader) ?? []), id]);
  const words = [...camps].map(([named, by]) => `${by.join(', ')} → ${named ?? 'nobody'}`);
  return `whom each names: ${words.length === 0 ? 'nobody runs' : words.join('; ')}`;
}
