import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Peers } from '../../src/peers/index.ts';
import type { drawStorm, runStorm } from '../../src/simulation/index.ts';
import type { Mutant } from './mutants.ts';

const sources = path.resolve(import.meta.dirname, '../../src');
const folder = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-peers-mutants');

/** The machine with the mutant's patches, and a simulation that runs it. */
export interface Loaded {
  readonly Peers: typeof Peers;
  readonly drawStorm: typeof drawStorm;
  readonly runStorm: typeof runStorm;
}

export async function load({ name, patches }: Pick<Mutant, 'name' | 'patches'>): Promise<Loaded> {
  const target = path.join(folder, name.replaceAll(/\W+/g, '-'));
  const unused = new Set(patches);
  for (const room of ['peers', 'simulation']) {
    const files = readdirSync(path.join(sources, room), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((each) => each.endsWith('.ts'))) {
      let text = readFileSync(path.join(sources, room, file), 'utf8');
      for (const patch of room === 'peers' ? patches.filter((each) => each.file === file) : []) {
        if (text.split(patch.from).length !== 2)
          throw new Error(`mutant "${name}": ${file} does not hold just once ${JSON.stringify(patch.from)}`);
        text = text.replace(patch.from, () => patch.to);
        unused.delete(patch);
      }
      write(
        path.join(target, room, file),
        text.replaceAll(/'(?:\.\.\/)+(core|host|properties|store)\/index\.ts'/g, fromSources),
      );
    }
  }
  if (unused.size > 0) throw new Error(`mutant "${name}": no file ${[...unused].map((each) => each.file)}`);
  const peers = await import(/* @vite-ignore */ path.join(target, 'peers/index.ts'));
  const simulation = await import(/* @vite-ignore */ path.join(target, 'simulation/index.ts'));
  return { ...peers, ...simulation };
}

/** The other rooms are used as they are. */
function fromSources(_: string, room: string): string {
  return JSON.stringify(path.join(sources, room, 'index.ts'));
}

/** At once, since another process may be reading the file. */
function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
