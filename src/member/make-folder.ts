import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its parents, one at a time. `mkdirSync` with `recursive` never returns in a file system that
 * reports a folder as missing but allows no process to create it (/proc).
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (isFolder(folder)) return; // Another process created it.
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isTaken ? new Error(`${folder} is not a folder`, { cause: error }) : error;
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
