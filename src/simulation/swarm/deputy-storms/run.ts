import type { Definition } from '../../../core/index.ts';
import { toMs } from '../../time.ts';
import type { World } from '../../world.ts';
import type { Failure } from '../failure.ts';
import { runStorm, type Verdict } from '../verdict.ts';
import { drawDeputyStorm } from './draw.ts';

/**
 * Draws a deputy storm from the seed and runs it until the cluster is at rest. It is judged as storms of the swarm are; and if
 * the cluster is well then, it has a deputy that takes over.
 */
export function runDeputyStorm(definition: Definition, seed: number): Verdict {
  const options = { hash: 'moments', endsAtRest: true, trial: diesAtRest } as const;
  return runStorm(drawDeputyStorm(definition, seed), definition, options);
}

/**
 * The leader of a cluster at rest dies, with proof for all: what it costs is one save of its deputy. Without a deputy there
 * would be an election, with two rounds of messages. Only where all members have deputies, and no disk was lost.
 */
function diesAtRest(world: World): Failure | null {
  const hosts = [...world.hosts.values()];
  const leader = hosts.find((host) => host.acting);
  const isFit = hosts.every(({ alive, self, view }) => {
    const { deputies, priority } = self.settings;
    return alive && deputies === true && priority !== 0 && view.role !== 'none';
  });
  if (leader === undefined || !isFit || hosts.length < 3 || world.broken.size > 0) return null;
  const { id, view } = leader;
  if (view.members?.length !== hosts.length) return null;
  world.act({ do: 'crash', member: id });
  world.act({ do: 'evidence', member: 'all', peer: id, gone: true, proof: true });
  // An earlier save may still be under way.
  world.runUntil(toMs(world.nowUs) + 2 * world.syncMs[1] + MOMENT_MS);
  if (hosts.some((host) => host.acting)) return null;
  const detail = `${id}, which led in term ${view.term}, is dead, and no deputy has taken over`;
  return { property: 'takeover', atMs: toMs(world.nowUs), detail };
}

const MOMENT_MS = 0.1;
