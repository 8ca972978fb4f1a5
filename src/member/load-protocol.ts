import { BadInput, type Definition, show } from '../core/index.ts';
import { quorum } from '../protocols/quorum/index.ts';

/** Every protocol by name. Those that a member does not use by default are loaded when they are asked for. */
async function loadCatalogue(): Promise<Readonly<Record<string, Definition>>> {
  return (await import('../protocols/index.ts')).catalogue;
}

/** The protocol of this name, or the default one. Rejects with BadInput for an unknown name. */
export async function loadProtocol(name: string = quorum.name): Promise<Definition> {
  if (name === quorum.name) return quorum;
  const catalogue = await loadCatalogue();
  if (Object.hasOwn(catalogue, name)) return catalogue[name]!;
  throw new BadInput('protocol', `one of ${Object.keys(catalogue).join(', ')}`, show(name));
}

/** The names of the protocols whose voters register, for people. */
export async function registering(): Promise<string> {
  const able = Object.values(await loadCatalogue()).filter((each) => each.registration !== undefined);
  return able.map((each) => each.name).join(', ');
}
