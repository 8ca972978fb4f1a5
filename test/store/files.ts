import type { FileName, RecordFolder } from '../../src/store/index.ts';

/**
 * A disk after a sync that failed: processes see what was written, and the system counts it as written, so that only
 * what is written again reaches the disk.
 */
export class UnsyncedFiles implements RecordFolder {
  /** What a power failure leaves. */
  disk: Uint8Array;
  readonly #seen: Uint8Array;
  readonly #written: (readonly [bytes: Uint8Array, at: number])[] = [];

  constructor(disk: Uint8Array, seen: Uint8Array) {
    this.disk = disk.slice();
    this.#seen = seen;
  }

  read(): Uint8Array {
    return this.#seen.slice();
  }

  write(file: FileName, bytes: Uint8Array, at: number): void {
    if (file === 'record') this.#written.push([bytes.slice(), at]);
  }

  sync(): void {
    for (const [bytes, at] of this.#written.splice(0)) this.disk.set(bytes, at);
  }

  rename(): void {}

  syncFolder(): void {}
}

/** The two files of a record in memory. */
export class Files implements RecordFolder {
  onCall: (call: string) => void = () => {};
  #record: Uint8Array | null;
  #draft: Uint8Array | null = null;

  constructor(record: Uint8Array | null = null) {
    this.#record = record?.slice() ?? null;
  }

  read(): Uint8Array | null {
    this.onCall('read');
    return this.#record?.slice() ?? null;
  }

  write(file: FileName, bytes: Uint8Array, at: number): void {
    this.onCall(`write ${file}`);
    if (file === 'draft') {
      this.#draft = bytes.slice();
    } else {
      if (this.#record === null) throw new Error('no such file');
      this.#record = this.#record.slice();
      this.#record.set(bytes, at);
    }
  }

  sync(file: FileName): void {
    this.onCall(`sync ${file}`);
  }

  rename(): void {
    this.onCall('rename');
    if (this.#draft === null) throw new Error('no such file');
    this.#record = this.#draft;
    this.#draft = null;
  }

  syncFolder(): void {
    this.onCall('sync-folder');
  }
}
