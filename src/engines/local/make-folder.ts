import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder for this user alone, and those above it that are missing. The system's own way to do that never ends where no process
 * can make a folder, as below /proc.
 */
export function makeFolder(folder: string): void {
  const above = path.dirname(folder);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another was faster.
  }
}
