import type { Done, FileName, LogFolder } from '../../src/store/index.ts';
import { Files } from './files.ts';

/** The log and its draft in memory. A sync that does not block ends when the test says so. */
export class LogFiles extends Files implements LogFolder {
  /** Throws what the next call of this name fails with. */
  fails: { call: string; error: Error } | null = null;
  readonly #syncs: Done[] = [];

  /** How many syncs are on their way. */
  get syncing(): number {
    return this.#syncs.length;
  }

  /** The oldest sync on its way ends. */
  endSync(failure: Error | null = null): void {
    this.#syncs.shift()!(failure);
  }

  override write(file: FileName, bytes: Uint8Array, at: number): void {
    this.#check(`write ${file}`);
    super.write(file, bytes, at);
  }

  override sync(file: FileName): void {
    this.#check(`sync ${file}`);
    super.sync(file);
  }

  override rename(): void {
    this.#check('rename');
    super.rename();
  }

  assertOurs(): void {
    this.#check('assert');
  }

  syncSoon(file: FileName, done: Done): void {
    this.onCall(`sync ${file}`);
    this.#syncs.push(done);
  }

  syncFolderSoon(done: Done): void {
    this.onCall('sync-folder');
    this.#syncs.push(done);
  }

  abandon(): void {
    this.onCall('abandon');
  }

  #check(call: string): void {
    const { fails } = this;
    if (fails?.call !== call) return;
    this.fails = null;
    throw fails.error;
  }
}
