import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder with all that it stands in. One step at a time, since Node's own way never comes to an end where a system
 * denies that a folder exists in which it lets no process create one (/proc).
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (isFolder(folder)) return; // Another process may have been faster.
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isTaken ? new Error(`${folder} is not a folder`, { cause: error }) : error;
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
