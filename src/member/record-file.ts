import { createHash } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { assert, type Json } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import {
  type Batches,
  type Coding,
  type Done,
  type FileName,
  GroupCommit,
  type LogFolder,
  type Owner,
  type PlannedWrite,
  type RecordFolder,
  RecordStore,
  type Recovery,
} from '../store/index.ts';

/** The host retries (src/host/outbox.ts). After a failed write the content of the file is unknown, so the next write makes it anew. */
export const MEANWHILE = '; this member takes no part until the disk takes writes again';

/** The file system calls that can fail. */
export interface FileSystem {
  write(handle: number, bytes: Uint8Array, at: number): number;
  sync(handle: number): void;
  /** The same without blocking. Omitted: that of the system. */
  syncSoon?(handle: number, done: (failure: Error | null) => void): void;
}

export const realFiles: FileSystem = {
  write: (handle, bytes, at) => writeSync(handle, bytes, 0, bytes.length, at),
  sync: (handle) => fdatasyncSync(handle),
};

/** That of Node.js; it makes the same bytes as the pure one of `src/store`. */
export const nodeCoding: Coding = {
  toUtf8: (text) => Buffer.from(text),
  utf8Length: (text) => Buffer.byteLength(text),
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
};

export const CODES = {
  corrupt: 'E_STORE_CORRUPT',
  foreign: 'E_STORE_FOREIGN',
  version: 'E_STORE_VERSION',
} as const;

/** A record to be written, for `GroupCommit`. */
interface Entry {
  readonly election: string;
  readonly record: Json;
}

/** A record in a file. `src/store` decides what is written where, and what is refused. */
export class RecordFile {
  readonly #file: string;
  readonly #owner: Owner;
  readonly #folder: FileFolder;
  readonly #format: string | undefined;
  readonly #commit: GroupCommit<Entry>;
  #store: RecordStore;

  /**
   * `format`: that of the records that are written, if it is not the usual one. `assertOurs` is called before the file
   * is changed, and throws if it must not be.
   */
  constructor(
    file: string,
    owner: Owner,
    fs: FileSystem = realFiles,
    format?: string,
    assertOurs: () => void = () => {},
  ) {
    this.#file = file;
    this.#owner = owner;
    this.#folder = new FileFolder(file, fs, assertOurs);
    this.#format = format;
    this.#store = new RecordStore(owner, nodeCoding, format);
    let planned: PlannedWrite;
    const batches: Batches<Entry> = {
      plan: ([entry]) => {
        planned = this.#store.plan(entry!.record);
        return planned;
      },
      durable: () => {},
      failed: () => this.#store.failed(planned),
    };
    this.#commit = new GroupCommit(batches, this.#folder, (work) => void setImmediate(work));
  }

  /** The record, or null if there never was one. Throws if the record cannot be trusted. */
  read(): { readonly record: Json } | null {
    const found = this.look();
    if (found.is === 'refused') throw new CaucusError(CODES[found.why], `${this.#file}: ${found.reason}`);
    return found.is === 'empty' ? null : { record: found.record };
  }

  /** The record, or what is wrong with it. */
  look(): Recovery {
    this.#store = new RecordStore(this.#owner, nodeCoding, this.#format);
    try {
      return this.#store.open(this.#folder.guarded);
    } catch (cause) {
      throw unusable(this.#file, 'cannot be read', cause);
    } finally {
      this.#folder.close();
    }
  }

  /** Returns when the record is durable; throws if it may not be. */
  write(record: Json): void {
    let outcome: Error | null = new CaucusError('E_CLOSED', 'the member was closed');
    this.writeSoon(record, (failure) => {
      outcome = failure;
    });
    this.settle();
    if (outcome !== null) throw outcome;
  }

  /** Calls back when the record is durable, with null, or with a CaucusError if it may not be. */
  writeSoon(record: Json, done: (failure: Error | null) => void): void {
    this.#commit.save({ election: this.#file, record }, (failure) =>
      done(failure === null ? null : unusable(this.#file, 'cannot be written', failure, MEANWHILE)),
    );
  }

  /** What was given to `writeSoon` is durable, or was answered with the error, when this returns. */
  settle(): void {
    this.#commit.saveNow();
  }

  /** After this nothing is written. */
  close(): void {
    this.#commit.close();
  }
}

export function unusable(file: string, what: string, cause: unknown, advice = ''): Error {
  if (cause instanceof CaucusError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CaucusError('E_STORE_UNUSABLE', `${file}: ${what}: ${reason}${advice}`, { cause });
}

/** The content of a file that holds this record alone. */
export function recordBytes(owner: Owner, record: Json, format?: string): Uint8Array {
  const [write] = new RecordStore(owner, nodeCoding, format).plan(record).steps;
  assert(write?.do === 'write', 'a new file begins with a write');
  return write.bytes;
}

/** A file of records and its draft, in a folder of the file system. */
export class FileFolder implements LogFolder {
  assertOurs: () => void;

  readonly #files: Readonly<Record<FileName, string>>;
  readonly #fs: FileSystem;
  /** The file that was written last, until it is synced. */
  #open: { readonly file: FileName; readonly handle: number } | null = null;

  constructor(file: string, fs: FileSystem, assertOurs: () => void) {
    this.#files = { record: file, draft: `${file}.new` };
    this.#fs = fs;
    this.assertOurs = assertOurs;
  }

  /** For a start, which may write too: another process may have taken over the folder since the lock was taken. */
  get guarded(): RecordFolder {
    return {
      read: () => this.read(),
      write: (file, bytes, at) => {
        this.assertOurs();
        this.write(file, bytes, at);
      },
      sync: (file) => this.sync(file),
      rename: () => this.rename(),
      syncFolder: () => this.syncFolder(),
    };
  }

  read(): Uint8Array | null {
    return readIfThere(this.#files.record);
  }

  /** Opened by its name each time: a file that was deleted must not take writes. */
  write(file: FileName, bytes: Uint8Array, at: number): void {
    const handle = this.#handle(file, file === 'draft' ? 'w' : 'r+');
    for (let done = 0; done < bytes.length; ) {
      done += this.#fs.write(handle, bytes.subarray(done), at + done);
    }
  }

  sync(file: FileName): void {
    this.#fs.sync(this.#handle(file, 'r+'));
    this.close();
  }

  syncSoon(file: FileName, done: Done): void {
    const handle = this.#handle(file, 'r+');
    this.#open = null; // Another batch may begin, in another file, before this one is synced.
    const { syncSoon = fdatasync } = this.#fs;
    syncSoon(handle, (failure) => {
      closeSync(handle);
      done(failure);
    });
  }

  rename(): void {
    renameSync(this.#files.draft, this.#files.record);
  }

  syncFolder(): void {
    syncFolder(path.dirname(this.#files.record));
  }

  syncFolderSoon(done: Done): void {
    const handle = openSync(path.dirname(this.#files.record), 'r');
    fsync(handle, (failure) => {
      closeSync(handle);
      done(failure);
    });
  }

  /** Removes what a failed write left, which takes space on a full disk; on a read-only disk nothing was written. */
  abandon(): void {
    this.close();
    try {
      rmSync(this.#files.draft, { force: true });
    } catch {
      // The error that matters is that of the batch.
    }
  }

  close(): void {
    if (this.#open !== null) closeSync(this.#open.handle);
    this.#open = null;
  }

  #handle(file: FileName, flags: 'w' | 'r+'): number {
    if (this.#open?.file !== file) {
      this.close();
      this.#open = { file, handle: openSync(this.#files[file], flags, 0o600) };
    }
    return this.#open.handle;
  }
}

export function readIfThere(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A renamed file is durable only once its folder is synced. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
