import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder for this user alone, and its missing parents. `mkdir` with `recursive` never returns where no
 * process can create a folder, as below /proc.
 */
export function makeFolder(folder: string): void {
  const above = path.dirname(folder);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another process created it.
  }
}
