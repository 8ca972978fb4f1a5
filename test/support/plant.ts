import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A piece of text that a source file holds just once, and what stands there instead. */
export interface Patch {
  /** Below `src`, without its ending. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A bug: the name by which it is known, and the patches that plant it. */
export interface Bug {
  readonly name: string;
  readonly patches: readonly Patch[];
}

/** Patches of files that all are in one folder below `src`. */
export function patchesIn(
  folder: string,
  patches: readonly (readonly [file: string, from: string, to: string])[],
): readonly Patch[] {
  return patches.map(([file, from, to]) => ({ file: `${folder}/${file}`, from, to }));
}

const sources = path.resolve(import.meta.dirname, '../../src');
const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-mutants');

/**
 * Writes these folders of `src`, with the patches, beside the build caches, and loads the `index.ts` of each from there, in their
 * order. They import each other's copies; everything else they import as it is. What depends on a patched folder has to be among
 * them, or it would run without the bug.
 */
export async function plant(folders: readonly string[], { name, patches }: Bug): Promise<readonly unknown[]> {
  const target = path.join(cache, folders.join('-').replaceAll('/', '-'), name.replaceAll(/\W+/g, '-'));
  const unused = new Set(patches);
  for (const folder of folders) {
    for (const each of readdirSync(path.join(sources, folder), { recursive: true, encoding: 'utf8' })) {
      if (!each.endsWith('.ts')) continue;
      const file = path.join(folder, each);
      let text = readFileSync(path.join(sources, file), 'utf8');
      for (const patch of patches.filter((patch) => `${patch.file}.ts` === file)) {
        if (text.split(patch.from).length !== 2)
          throw new Error(`mutant "${name}": ${file} does not hold just once ${JSON.stringify(patch.from)}`);
        text = text.replace(patch.from, () => patch.to);
        unused.delete(patch);
      }
      write(path.join(target, file), importing(text, path.dirname(path.join(sources, file)), folders));
    }
  }
  if (unused.size > 0) throw new Error(`mutant "${name}": no file ${[...unused].map(({ file }) => file)}`);
  return Promise.all(
    folders.map((folder) => import(/* @vite-ignore */ path.join(target, folder, 'index.ts'))),
  );
}

/** The text of a file from that place in the sources: what it imports from other folders is named by its whole path. */
function importing(text: string, from: string, folders: readonly string[]): string {
  return text.replaceAll(/'(\.\.?\/[\w./-]+\.ts)'/g, (all, file: string) => {
    const imported = path.resolve(from, file);
    const isCopied = folders.some((folder) => imported.startsWith(path.join(sources, folder, '/')));
    return isCopied ? all : JSON.stringify(imported);
  });
}

/** At once, since another process may be reading the file. */
function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
