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
import { type Json, type MemberId, show } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';

/** Whose record it is. A record of another member is as bad as none: it would make a member keep another's promises. */
export interface Owner {
  readonly cluster: string;
  readonly id: MemberId;
  /** The election, or null for what belongs to the member itself. */
  readonly election: string | null;
  /** What only it understands. */
  readonly protocol: string | null;
}

/** Whose it says it is. */
type Claimed = { readonly [K in keyof Owner]: unknown };

/**
 * 3: both halves always hold a copy, so that one that is empty is damage. 2 left a half empty after the file was made anew; it is
 * read, and the next write makes the file anew. 1 had one copy and is older than any release.
 */
const FORMAT = 'caucus-record/3';
const READABLE: readonly string[] = [FORMAT, 'caucus-record/2'];

/** What disks and the system's cache write as a whole, whatever happens in between. */
const PAGE = 4096;

/** After a failed write it is unknown what the disk holds, so nothing is tried again: only a new start reads it. */
const UNTIL_RESTARTED = '; restart this member once the disk takes writes again: until then it takes no part';

/** The part of the file system that can fail. */
export interface FileSystem {
  write(handle: number, bytes: Buffer, at: number): number;
  sync(handle: number): void;
}

const realFiles: FileSystem = {
  write: (handle, bytes, at) => writeSync(handle, bytes, 0, bytes.length, at),
  sync: (handle) => fdatasyncSync(handle),
};

/** What was found in one half of the file. */
interface Copy {
  readonly format: string;
  readonly sequence: number;
  readonly record: Json;
}

/**
 * One record on disk. The file has two halves, each a copy: a header line that says what it is, whose, how new and its
 * checksum, then the record. A record that fits into a page takes the place of the older copy: nothing is allocated and no
 * name changes, which costs a fifth of the time. A larger one is written, twice, into a new file under another name, flushed,
 * renamed and the folder flushed. Either way, after a crash the newest copy is the old record or the new one, whole.
 *
 * A copy that is damaged or empty is never passed over for the other one: it may have been the newer, and bind this member.
 */
export class RecordFile {
  readonly #file: string;
  readonly #owner: Owner;
  readonly #fs: FileSystem;
  /** Of the newest copy, and the half that it is in. */
  #sequence = 0;
  #newest = 0;
  /** The file is known to have halves of a page each. */
  #hasPages = false;

  constructor(file: string, owner: Owner, fs: FileSystem = realFiles) {
    this.#file = file;
    this.#owner = owner;
    this.#fs = fs;
  }

  /** The record, or null if there never was one. Refuses what it cannot trust. */
  read(): { readonly record: Json } | null {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusable('cannot be read', error);
    }
    const half = bytes.length / 2;
    this.#refuseOtherFormat(bytes);
    if (half === 0 || half % PAGE !== 0) throw this.#corrupt(`it has ${bytes.length} bytes`);
    const copies = [bytes.subarray(0, half), bytes.subarray(half)].map((each) => this.#readCopy(each));
    this.#newest = (copies[1]?.sequence ?? 0) > (copies[0]?.sequence ?? 0) ? 1 : 0;
    const [newest, other] = [copies[this.#newest], copies[1 - this.#newest]];
    if (!newest) throw this.#corrupt('it has no header');
    if (!other && newest.format === FORMAT) throw this.#corrupt('one of its two copies is empty');
    this.#sequence = newest.sequence;
    this.#hasPages = half === PAGE && newest.format === FORMAT;
    return { record: newest.record };
  }

  /** An older or newer version of Caucus wrote it: that is no damage, and moving the folder away is not the first thing to try. */
  #refuseOtherFormat(bytes: Buffer): void {
    const found = formatOf(bytes);
    const inOtherHalf = formatOf(bytes.subarray(bytes.length / 2));
    // Where the halves disagree, the number itself is damaged.
    if (found === null || READABLE.includes(found) || (inOtherHalf !== null && inOtherHalf !== found)) return;
    const isOlder = versionIn(found) < versionIn(FORMAT);
    throw new CaucusError(
      'E_STORE_VERSION',
      `${this.#file}: was written by ${isOlder ? 'an older' : 'a newer'} version of Caucus (its format is ${found}; ` +
        `this version reads ${READABLE.join(' and ')}); run the version that wrote it, or, if a majority of the other ` +
        'members runs, move this data folder away: the member then begins with an empty disk, and the others give it a new seat',
    );
  }

  #readCopy(bytes: Buffer): Copy | null {
    if (bytes.every((byte) => byte === 0)) return null;
    const text = bytes.toString('utf8');
    const end = text.indexOf('\n');
    const header = parse(text.slice(0, Math.max(0, end)));
    if (typeof header !== 'object' || header === null || Array.isArray(header)) {
      throw this.#corrupt('it has no header');
    }
    const { format, cluster, id, election, protocol, sequence, sha256 } = header as Record<string, unknown>;
    const owner = { cluster, id, election, protocol };
    if (typeof format !== 'string' || !READABLE.includes(format))
      throw this.#corrupt(`expected the format ${FORMAT}, found ${show(format)}`);
    const stop = text.indexOf('\0', end);
    const body = text.slice(end + 1, stop);
    if (/[^\0]/.test(text.slice(stop))) throw this.#corrupt('something stands behind the record');
    if (sha256 !== checksum(format, owner, sequence, body)) {
      throw this.#corrupt('its checksum does not fit what it holds');
    }
    this.#refuseForeign(owner);
    const record = parse(body);
    if (record === undefined) throw this.#corrupt('it is not JSON');
    return { format, sequence: sequence as number, record: record as Json };
  }

  /** Returns when the record is durable; throws if it may not be. */
  write(record: Json): void {
    const body = JSON.stringify(record);
    const sequence = this.#sequence + 1;
    const { cluster, id, election, protocol } = this.#owner;
    const sha256 = checksum(FORMAT, this.#owner, sequence, body);
    const header = JSON.stringify({ format: FORMAT, cluster, id, election, protocol, sequence, sha256 });
    const bytes = Buffer.from(`${header}\n${body}\0`);
    try {
      if (this.#hasPages && bytes.length <= PAGE) this.#overwrite(bytes);
      else this.#replace(bytes);
    } catch (error) {
      this.#hasPages = false; // What is there now is unknown.
      throw this.#unusable('cannot be written', error, UNTIL_RESTARTED);
    }
    this.#sequence = sequence;
  }

  /** The other half, and with it the newest copy, is left as it is. */
  #overwrite(bytes: Buffer): void {
    const page = Buffer.alloc(PAGE);
    bytes.copy(page);
    const older = 1 - this.#newest;
    const handle = openSync(this.#file, 'r+');
    try {
      this.#writeAll(handle, page, older * PAGE);
    } finally {
      closeSync(handle);
    }
    this.#newest = older;
  }

  #replace(bytes: Buffer): void {
    const half = Math.ceil(bytes.length / PAGE) * PAGE;
    const whole = Buffer.alloc(2 * half);
    bytes.copy(whole);
    bytes.copy(whole, half);
    const temporary = `${this.#file}.new`;
    try {
      const handle = openSync(temporary, 'w', 0o600);
      try {
        this.#writeAll(handle, whole, 0);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, this.#file);
      syncFolder(path.dirname(this.#file));
    } catch (error) {
      removeIfPossible(temporary);
      throw error;
    }
    this.#hasPages = half === PAGE;
  }

  #writeAll(handle: number, bytes: Buffer, at: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += this.#fs.write(handle, bytes.subarray(done), at + done);
    }
    this.#fs.sync(handle);
  }

  #refuseForeign(found: Claimed): void {
    for (const field of ['cluster', 'id', 'election', 'protocol'] as const) {
      if (found[field] === this.#owner[field]) continue;
      throw new CaucusError(
        'E_STORE_FOREIGN',
        `${this.#file}: belongs to ${field} ${show(found[field])}, not to ${show(this.#owner[field])}; ` +
          'give this member a data folder of its own',
      );
    }
  }

  #corrupt(reason: string): CaucusError {
    return new CaucusError(
      'E_STORE_CORRUPT',
      `${this.#file}: torn or damaged (${reason}); move the whole data folder away and start again: ` +
        'the member then begins with an empty disk, and the others give it a new seat',
    );
  }

  #unusable(what: string, cause: unknown, advice = ''): CaucusError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new CaucusError('E_STORE_UNUSABLE', `${this.#file}: ${what}: ${reason}${advice}`, { cause });
  }
}

/** The format that a copy says it has, whatever version wrote it; null if it says none. */
function formatOf(copy: Buffer): string | null {
  return /^\s*\{\s*"format":\s*"(caucus-record\/\d{1,9})"/.exec(copy.toString('latin1', 0, 100))?.[1] ?? null;
}

function versionIn(format: string): number {
  return Number(format.slice(format.indexOf('/') + 1));
}

/** A renamed file is durable only once the folder that names it is. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Over the header's other fields too: a flipped bit there is damage, not another member's record. */
function checksum(
  format: string,
  { cluster, id, election, protocol }: Claimed,
  sequence: unknown,
  body: string,
): string {
  const head = JSON.stringify([format, cluster, id, election, protocol, sequence]);
  return createHash('sha256').update(`${head}\n${body}`).digest('hex');
}

/** What is left of a failed write takes room on a full disk; on a read-only one there is none. */
function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The failure that matters is the one of the write.
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
