import type * as Simulation from '../../src/simulation/index.ts';
import type * as Store from '../../src/store/index.ts';
import { type Bug, type Patch, plant } from '../support/plant.ts';

/** The store, and the simulated world on top of it. */
export interface Loaded {
  readonly store: typeof Store;
  readonly simulation: typeof Simulation;
}

/** The world looks at the bytes after every save: a store with a bug may leave other bytes than its last two writes would. */
const EAGER: Patch = {
  file: 'simulation/disk',
  from: 'const IS_LAZY: boolean = true;',
  to: 'const IS_LAZY: boolean = false;',
};

export async function load({ name, patches }: Bug): Promise<Loaded> {
  const [store, simulation] = await plant(['store', 'simulation'], { name, patches: [...patches, EAGER] });
  return { store: store as typeof Store, simulation: simulation as typeof Simulation };
}
