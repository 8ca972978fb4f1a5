import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { encodeTraceLine, type TraceLine } from '../../../core/index.ts';
import { isSystemError, Refusal, systemWords } from '../../input/refusal.ts';
import type { Listener } from './one-run.ts';

const BUFFER_CHARS = 64 * 1024;

/**
 * Writes a trace to a temporary file beside the target and renames it at the end, so that the target is either
 * complete or unchanged. A pipe or a device is written to directly.
 */
export class TraceFile implements Listener {
  readonly #name: string;
  readonly #target: string;
  readonly #temporary: string | null;
  readonly #handle: number;
  #buffer = '';
  #open = true;

  /** Opens it at once, so that a file that cannot be written is refused before anything runs. */
  constructor(name: string) {
    this.#name = name;
    if (name === '' || name === '-') {
      throw new Refusal(`--trace: expected the name of a file, found ${JSON.stringify(name)}`);
    }
    const { target, direct } = this.#try(() => examine(name));
    this.#target = target;
    this.#temporary = direct ? null : besides(target);
    this.#handle = this.#try(() => openSync(this.#temporary ?? target, direct ? 'w' : 'wx'));
  }

  line(line: TraceLine): void {
    this.#buffer += encodeTraceLine(line);
    if (this.#buffer.length >= BUFFER_CHARS) this.#flush();
  }

  commit(): void {
    this.#flush();
    this.#try(() => {
      this.#close();
      if (this.#temporary !== null) renameSync(this.#temporary, this.#target);
    });
  }

  /** Removes the temporary file; after `commit` there is none. */
  abandon(): void {
    this.#close();
    if (this.#temporary !== null) rmSync(this.#temporary, { force: true });
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#handle);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    this.#try(() => {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#handle, bytes, written);
    });
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isSystemError(error)) throw new Refusal(`--trace: ${this.#name}: ${systemWords(error)}`);
      throw error;
    }
  }
}

function besides(target: string): string {
  return path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}`);
}

/** Where the trace goes, following links, and whether that is a pipe or a device. */
function examine(name: string): { target: string; direct: boolean } {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) return { target: name, direct: false };
  if (found.isDirectory()) throw new Refusal(`--trace: ${name}: expected a file, found a directory`);
  if (!found.isFile()) return { target: name, direct: true };
  accessSync(name, constants.W_OK); // A rename would ignore the permissions of the file.
  return { target: realpathSync(name), direct: false };
}
