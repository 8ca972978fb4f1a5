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
 * The `index.ts` of each of these folders of `src`, in their order, with the patches. Copies of the files that are patched, and of all that
 * depend on them within these folders, are written beside the build caches and loaded from there; everything else is loaded as it is.
 * What depends on a patched folder has to be among the folders, or it would run without the bug. With `open`, all files of the
 * folders are copied, and what is private in them can be read, so that two states can be compared.
 */
export async function plant(
  folders: readonly string[],
  { name, patches }: Bug,
  { open = false }: { readonly open?: boolean } = {},
): Promise<readonly unknown[]> {
  const place = `${folders.join('-').replaceAll('/', '-')}${open ? '-open' : ''}`;
  const target = path.join(cache, place, name.replaceAll(/\W+/g, '-'));
  const texts = new Map(folders.flatMap((folder) => filesIn(folder)));
  for (const { file, from, to } of patches) {
    const text = texts.get(path.join(sources, `${file}.ts`));
    if (text === undefined) throw new Error(`mutant "${name}": no file ${file}`);
    if (text.split(from).length !== 2)
      throw new Error(`mutant "${name}": ${file} does not hold just once ${JSON.stringify(from)}`);
    texts.set(
      path.join(sources, `${file}.ts`),
      text.replace(from, () => to),
    );
  }
  const patched = patches.map(({ file }) => path.join(sources, `${file}.ts`));
  const copied = open ? new Set(texts.keys()) : withDependents(texts, patched);
  const placeOf = (file: string): string =>
    copied.has(file) ? path.join(target, path.relative(sources, file)) : file;
  for (const file of copied) {
    const text = (open ? opened(texts.get(file)!) : texts.get(file)!).replaceAll(
      /'(\.\.?\/[\w./-]+\.ts)'/g,
      (_, imported: string) => JSON.stringify(placeOf(path.resolve(path.dirname(file), imported))),
    );
    write(placeOf(file), text);
  }
  const indexes = folders.map((folder) => placeOf(path.join(sources, folder, 'index.ts')));
  return Promise.all(indexes.map((file) => import(/* @vite-ignore */ file)));
}

function opened(text: string): string {
  return text.replaceAll(/#(\w+)/g, 'private_$1');
}

function filesIn(folder: string): (readonly [file: string, text: string])[] {
  const names = readdirSync(path.join(sources, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(sources, folder, name))
    .map((file) => [file, readFileSync(file, 'utf8')]);
}

/** These files, and all that import one of them, and so on. What is imported as a type alone does not run. */
function withDependents(texts: ReadonlyMap<string, string>, files: readonly string[]): ReadonlySet<string> {
  const imports = new Map<string, readonly string[]>();
  for (const [file, text] of texts) {
    const found = text.matchAll(/^(?:import|export)(?! type\b)[^;']*'(\.\.?\/[^']+)';/gm);
    imports.set(
      file,
      [...found].map((each) => path.resolve(path.dirname(file), each[1]!)),
    );
  }
  const all = new Set(files);
  for (let before = -1; before !== all.size; ) {
    before = all.size;
    for (const [file, imported] of imports) if (imported.some((each) => all.has(each))) all.add(file);
  }
  return all;
}

/** At once, since another process may be reading the file. */
function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
