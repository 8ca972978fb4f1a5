import { existsSync, readFileSync, watch } from 'node:fs';
import path from 'node:path';

/** One line of what a command of `run-child.mjs` wrote. */
export interface Note {
  readonly token: bigint;
  readonly what: string;
  readonly atMs: number;
  readonly pid: number;
}

export function notesOf(file: string): Note[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [token, what, at, pid] = line.split(' ');
    return { token: BigInt(token!), what: what!, atMs: Number(BigInt(at!)) / 1e6, pid: Number(pid) };
  });
}

/** Settles with the first note that fits, as soon as it is written. */
export function noted(file: string, fits: (note: Note) => boolean): Promise<Note> {
  return new Promise((resolve, reject) => {
    const watcher = watch(path.dirname(file), () => look());
    const look = (): void => {
      const found = notesOf(file).find(fits);
      if (found === undefined) return;
      watcher.close();
      resolve(found);
    };
    watcher.on('error', reject);
    look();
  });
}
