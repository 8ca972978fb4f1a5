import type { Peers } from '../../src/peers/index.ts';
import type { drawStorm, runStorm } from '../../src/simulation/index.ts';
import { type Bug, plant } from '../support/plant.ts';

/** The machine with a bug, and a simulation that runs it. */
export interface Loaded {
  readonly Peers: typeof Peers;
  readonly drawStorm: typeof drawStorm;
  readonly runStorm: typeof runStorm;
}

export async function load(bug: Bug): Promise<Loaded> {
  const [peers, simulation] = await plant(['peers', 'simulation'], bug);
  return { ...(peers as Loaded), ...(simulation as Loaded) };
}
