import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Definition } from '../../src/core/index.ts';
import type { Mutant } from './mutants/mutant.ts';

const source = path.resolve(import.meta.dirname, '../../src/protocols/quorum');
const core = path.resolve(import.meta.dirname, '../../src/core/index.ts');
const folder = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-mutants');

/** The source of `quorum` with the mutant's patches, written beside the build caches and loaded from there. */
export async function load({ name, patches }: Pick<Mutant, 'name' | 'patches'>): Promise<Definition> {
  const target = path.join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(target, { recursive: true });
  const unused = new Set(patches);
  for (const file of readdirSync(source)) {
    let text = readFileSync(path.join(source, file), 'utf8');
    for (const patch of patches.filter((each) => each.file === file)) {
      if (text.split(patch.from).length !== 2)
        throw new Error(`mutant "${name}": ${file} does not hold just once ${JSON.stringify(patch.from)}`);
      text = text.replace(patch.from, () => patch.to);
      unused.delete(patch);
    }
    replace(path.join(target, file), text.replaceAll("'../../core/index.ts'", JSON.stringify(core)));
  }
  if (unused.size > 0) throw new Error(`mutant "${name}": no file ${[...unused].map((each) => each.file)}`);
  const { quorum } = await import(/* @vite-ignore */ path.join(target, 'index.ts'));
  return quorum;
}

/** At once, since another process may be reading the file. */
function replace(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
