import { type Definition, Random, readSettings } from '../../core/index.ts';
import { type Cluster, drawCluster } from './cluster.ts';
import { drawFaults } from './faults.ts';
import type { Storm } from './storm.ts';

/**
 * A random run, all of it drawn from the seed: who takes part, the settings, how bad the network is, which kinds of faults
 * there are and when. The run itself uses the same seed.
 */
export function drawStorm(definition: Definition, seed: number): Storm {
  const random = new Random(seed, 'swarm');
  const cluster = drawCluster(definition, random);
  return {
    protocol: definition.name,
    seed,
    ...cluster,
    ...drawFaults(definition, cluster, random),
    endMs: null,
    exam: isPledged(definition, cluster),
  };
}

/** Only who promises something of a cluster at rest is held to it. */
function isPledged(definition: Definition, { timing, options }: Cluster): boolean {
  const { liveness = [] } = definition.create({
    timing: readSettings(definition.timing, timing, 'timing'),
    options: readSettings(definition.options, options, 'options'),
  });
  return liveness.length > 0;
}
