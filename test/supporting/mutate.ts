import type { Definition } from '../../src/core/index.ts';
import type { drawManyStorm, runManyStorm } from '../../src/simulation/index.ts';
import type { Support } from '../../src/support/index.ts';
import { type Bug, plant } from '../support/plant.ts';

/** Support with a bug, and a simulation that runs it. */
export interface Loaded {
  readonly Support: typeof Support;
  readonly quorum: Definition;
  readonly drawManyStorm: typeof drawManyStorm;
  readonly runManyStorm: typeof runManyStorm;
}

export async function load(bug: Bug): Promise<Loaded> {
  const folders = ['support', 'host', 'protocols/quorum', 'simulation'];
  const [support, , quorum, simulation] = await plant(folders, bug);
  return { ...(support as Loaded), ...(quorum as Loaded), ...(simulation as Loaded) };
}
