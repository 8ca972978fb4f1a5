import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as Simulation from '../../src/simulation/index.ts';
import type * as Store from '../../src/store/index.ts';

export interface Patch {
  /** Below `src`, without its ending. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The store, and the simulated world on top of it. */
export interface Loaded {
  readonly store: typeof Store;
  readonly simulation: typeof Simulation;
}

const source = path.resolve(import.meta.dirname, '../../src');
const folder = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-store-mutants');
/** They are loaded anew, with the patches; of all others there is one. */
const ROOMS = ['store', 'simulation'];

/** The world looks at the bytes after every save: a store with a bug may leave other bytes than its last two writes would. */
export const EAGER: Patch = {
  file: 'simulation/disk',
  from: 'const IS_LAZY: boolean = true;',
  to: 'const IS_LAZY: boolean = false;',
};

export async function load(name: string, patches: readonly Patch[]): Promise<Loaded> {
  const target = path.join(folder, name.replaceAll(/\W+/g, '-'));
  const unused = new Set(patches);
  for (const room of ROOMS) {
    for (const file of readdirSync(path.join(source, room), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const each = path.join(room, file);
      let text = readFileSync(path.join(source, each), 'utf8');
      for (const patch of patches.filter((patch) => `${patch.file}.ts` === each)) {
        if (text.split(patch.from).length !== 2)
          throw new Error(`"${name}": ${each} does not hold just once ${JSON.stringify(patch.from)}`);
        text = text.replace(patch.from, () => patch.to);
        unused.delete(patch);
      }
      replace(path.join(target, each), text.replaceAll(/'(?:\.\.\/)+(\w+)\/([\w./-]+)'/g, absolute));
    }
  }
  if (unused.size > 0) throw new Error(`"${name}": no file ${[...unused].map(({ file }) => file)}`);
  const [store, simulation] = await Promise.all(
    ROOMS.map((room) => import(/* @vite-ignore */ path.join(target, room, 'index.ts'))),
  );
  return { store, simulation };
}

function absolute(all: string, room: string, file: string): string {
  return ROOMS.includes(room) ? all : JSON.stringify(path.join(source, room, file));
}

/** At once, since another process may be reading the file. */
function replace(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
