import { createHash } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
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
  type Coding,
  type FileName,
  type Owner,
  perform,
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

/** A record in a file. `src/store` decides what is written where, and what is refused. */
export class RecordFile {
  readonly #file: string;
  readonly #owner: Owner;
  readonly #folder: FileFolder;
  readonly #format: string | undefined;
  #store: RecordStore;

  /** `format`: that of the records that are written, if it is not the usual one. */
  constructor(file: string, owner: Owner, fs: FileSystem = realFiles, format?: string) {
    this.#file = file;
    this.#owner = owner;
    this.#folder = new FileFolder(file, fs);
    this.#format = format;
    this.#store = new RecordStore(owner, nodeCoding, format);
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
    return this.#try('cannot be read', () => this.#store.open(this.#folder));
  }

  /** Returns when the record is durable; throws if it may not be. */
  write(record: Json): void {
    const write = this.#store.plan(record);
    const work = (): void => {
      try {
        for (const step of write.steps) perform(step, this.#folder);
      } catch (error) {
        this.#store.failed(write);
        this.#folder.removeDraft();
        throw error;
      }
    };
    this.#try('cannot be written', work, MEANWHILE);
  }

  #try<T>(what: string, work: () => T, advice = ''): T {
    try {
      return work();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CaucusError('E_STORE_UNUSABLE', `${this.#file}: ${what}: ${reason}${advice}`, { cause });
    } finally {
      this.#folder.close();
    }
  }
}

/** The content of a file that holds this record alone. */
export function recordBytes(owner: Owner, record: Json, format?: string): Uint8Array {
  const [write] = new RecordStore(owner, nodeCoding, format).plan(record).steps;
  assert(write?.do === 'write', 'a new file begins with a write');
  return write.bytes;
}

/** The record's file and its draft, in a folder of the file system. */
class FileFolder implements RecordFolder {
  readonly #files: Readonly<Record<FileName, string>>;
  readonly #fs: FileSystem;
  /** The file that was written last, until it is closed. */
  #open: { readonly file: FileName; readonly handle: number } | null = null;

  constructor(file: string, fs: FileSystem) {
    this.#files = { record: file, draft: `${file}.new` };
    this.#fs = fs;
  }

  read(): Uint8Array | null {
    try {
      return readFileSync(this.#files.record);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

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

  rename(): void {
    renameSync(this.#files.draft, this.#files.record);
  }

  syncFolder(): void {
    syncFolder(path.dirname(this.#files.record));
  }

  close(): void {
    if (this.#open !== null) closeSync(this.#open.handle);
    this.#open = null;
  }

  /** Removes what a failed write left, which takes space on a full disk; on a read-only disk nothing was written. */
  removeDraft(): void {
    try {
      rmSync(this.#files.draft, { force: true });
    } catch {
      // The error that matters is that of the write.
    }
  }

  #handle(file: FileName, flags: 'w' | 'r+'): number {
    if (this.#open?.file !== file) {
      this.close();
      this.#open = { file, handle: openSync(this.#files[file], flags, 0o600) };
    }
    return this.#open.handle;
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
