import { type Definition, Random } from '../../core/index.ts';
import { drawCluster } from './cluster.ts';
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
  };
}
