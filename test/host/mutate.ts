import * as election from '../../src/election/index.ts';
import * as host from '../../src/host/index.ts';
import * as simulation from '../../src/simulation/index.ts';
import { type Bug, plant } from '../support/plant.ts';

/** The host, the simulated world that runs it, and the seats on it. */
export interface Loaded {
  readonly host: typeof host;
  readonly simulation: typeof simulation;
  readonly election: typeof election;
}

export const asItIs: Loaded = { host, simulation, election };

/** For a rule the simulated world is not needed: it is there as it is, without the bug. */
export async function load(bug: Bug, needs: 'world' | 'host' = 'world'): Promise<Loaded> {
  if (bug.patches.every(({ file }) => file.startsWith('election/'))) {
    const [loaded] = await plant(['election'], bug);
    return { ...asItIs, election: loaded as typeof election };
  }
  if (needs === 'host') {
    const [loaded] = await plant(['host'], bug);
    return { ...asItIs, host: loaded as typeof host };
  }
  const [loaded, world] = await plant(['host', 'simulation'], bug);
  return { ...asItIs, host: loaded as typeof host, simulation: world as typeof simulation };
}
