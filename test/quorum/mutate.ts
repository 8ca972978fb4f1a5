import type { Definition } from '../../src/core/index.ts';
import { type Bug, plant } from '../support/plant.ts';

/** `quorum` with a bug. */
export async function load(bug: Bug): Promise<Definition> {
  const [loaded] = await plant(['protocols/quorum'], bug);
  return (loaded as { readonly quorum: Definition }).quorum;
}
