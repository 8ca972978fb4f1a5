import { createWriteStream, openSync, renameSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import {
  type Effect,
  encodeTraceLine,
  type Input,
  type Json,
  type MemberId,
  type TraceHeader,
} from '../core/index.ts';
import { makeFolder } from './make-folder.ts';
import type { Settled } from './options.ts';

/** How many bytes may wait for a slow disk. A recording with a gap is better than a member that waits. */
const LARGEST_BACKLOG = 4_000_000;

/**
 * Records the steps of one election, in the same format as the simulator. When the file is full it becomes
 * `…~1.ndjson`, the older one is deleted, and a new file begins. A recording never delays the member: lines that the
 * disk is too slow for are left out.
 */
export class Recorder {
  readonly #file: string;
  readonly #member: MemberId;
  readonly #header: string;
  readonly #largestBytes: number;
  readonly #onFailure: (reason: string) => void;
  #stream: WriteStream | null;
  #bytes = 0;
  /** Lines left out since the last one that was written. */
  #missing = 0;

  constructor(
    folder: string,
    name: string,
    member: MemberId,
    header: TraceHeader,
    largestBytes: number,
    onFailure: (reason: string) => void,
  ) {
    this.#file = path.join(folder, `${name}.ndjson`);
    this.#member = member;
    this.#header = encodeTraceLine(header);
    this.#largestBytes = largestBytes;
    this.#onFailure = onFailure;
    this.#stream = this.#try(() => {
      makeFolder(folder);
      return this.#open();
    });
  }

  /** `atMs` is a time since 1970, so that recordings of several members can be compared. */
  step(atMs: number, input: Input, effects: readonly Effect[]): void {
    if (this.#stream === null) return;
    if (this.#stream.writableLength > LARGEST_BACKLOG) {
      this.#missing += 1;
      return;
    }
    if (this.#missing > 0) {
      this.#write(encodeTraceLine({ atMs, event: { do: 'unrecorded', steps: this.#missing } }));
      this.#missing = 0;
    }
    this.#write(encodeTraceLine({ atMs, member: this.#member, input, effects }));
    if (this.#bytes > this.#largestBytes) this.#rotate();
  }

  close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    if (stream === null) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once('close', resolve);
      stream.end();
    });
  }

  #open(): WriteStream {
    // Opened synchronously, so that a file that is full at once can be renamed.
    const stream = createWriteStream(this.#file, { fd: openSync(this.#file, 'w', 0o600) });
    stream.on('error', (error) => {
      if (this.#stream === stream) this.#stream = this.#fail(error);
    });
    stream.write(this.#header);
    this.#bytes = this.#header.length;
    return stream;
  }

  #write(line: string): void {
    this.#bytes += Buffer.byteLength(line);
    this.#stream?.write(line);
  }

  /** Data still on its way to the disk goes to the renamed file, which is already open. */
  #rotate(): void {
    this.#stream?.end();
    this.#stream = null;
    this.#stream = this.#try(() => {
      renameSync(this.#file, this.#file.replace(/\.ndjson$/, '~1.ndjson'));
      return this.#open();
    });
  }

  #try(open: () => WriteStream): WriteStream | null {
    try {
      return open();
    } catch (error) {
      return this.#fail(error as Error);
    }
  }

  #fail(error: Error): null {
    this.#onFailure(`${this.#file}: recording has ended: ${error.message}`);
    return null;
  }
}

/** The recording of one election, if the member was told where to keep recordings. */
export function recorderOf(
  { record, id, definition, config, limits, log }: Settled,
  members: readonly MemberId[],
  name: string,
): Recorder | null {
  if (record === null) return null;
  const header = {
    trace: 'caucus/1',
    protocol: definition.name,
    members,
    timing: config.timing as Json,
    options: config.options as Json,
    seed: null,
  } as const;
  // Neither ids nor election names contain a tilde, so every recording has its own file.
  return new Recorder(record, `${id}~${name}`, id, header, limits.recordBytes, (message) =>
    log({ level: 'warning', message }),
  );
}
