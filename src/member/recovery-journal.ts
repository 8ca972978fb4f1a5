/**
 * How the files of a data folder are replaced all at once, although a process may be killed between any two of them. The
 * new files are written to the folder `recovery.new` and synced; then that folder is renamed to `recovery`. Before this
 * moment the data folder is as it was, after it the new files count: the process that opens the data folder next, the
 * same one or a later one, moves them to their places.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { syncFolder } from './record-file.ts';

const DRAFT = 'recovery.new';
const JOURNAL = 'recovery';

/** What changes a disk. Each call throws if it fails. */
export interface JournalFiles {
  makeFolder(folder: string): void;
  /** Returns when the file is durable. */
  write(file: string, bytes: Uint8Array): void;
  rename(from: string, to: string): void;
  /** Returns when the names in the folder are durable. */
  sync(folder: string): void;
  removeEmpty(folder: string): void;
}

/** Those of the system. */
export const realFiles: JournalFiles = {
  makeFolder: (folder) => mkdirSync(folder, { mode: 0o700 }),
  write(file, bytes) {
    const handle = openSync(file, 'wx', 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  },
  rename: renameSync,
  sync: syncFolder,
  removeEmpty: rmdirSync,
};

/** By path within the data folder: the content of each new file. A path may begin with a new folder. */
export type NewFiles = ReadonlyMap<string, Uint8Array>;

/** Replaces these files of a data folder, or none of them. */
export function replaceFiles(folder: string, newFiles: NewFiles, files: JournalFiles = realFiles): void {
  const draft = path.join(folder, DRAFT);
  rmSync(draft, { recursive: true, force: true }); // Of a process that was killed.
  try {
    files.makeFolder(draft);
    const folders = new Set(
      [...newFiles.keys()].map((file) => path.dirname(file)).filter((each) => each !== '.'),
    );
    for (const each of folders) files.makeFolder(path.join(draft, each));
    for (const [file, bytes] of newFiles) files.write(path.join(draft, file), bytes);
    for (const each of [...folders, '.']) files.sync(path.join(draft, each));
    files.rename(draft, path.join(folder, JOURNAL));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  files.sync(folder);
  finishRecovery(folder, files);
}

/** Moves the new files of a journal to their places, if there is one. To be called by the process that holds the lock. */
export function finishRecovery(folder: string, files: JournalFiles = realFiles): boolean {
  const journal = path.join(folder, JOURNAL);
  if (!existsSync(journal)) return false;
  for (const file of readdirSync(journal)) files.rename(path.join(journal, file), path.join(folder, file));
  // A journal that came back after a power failure would undo what the member has saved since.
  files.sync(folder);
  files.sync(journal);
  files.removeEmpty(journal);
  files.sync(folder);
  return true;
}

/** Where the file of a data folder is now. */
export function fileIn(folder: string, file: string): string {
  const moved = path.join(folder, JOURNAL, file);
  return existsSync(moved) ? moved : path.join(folder, file);
}
