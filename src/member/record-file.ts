import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Json, type MemberId, show } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';

/** Whose record it is. A record of somebody else is as bad as none: it would make a member keep another's promises. */
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

const FORMAT = 'caucus-record/1';

/** The part of the file system that can fail. */
export interface FileSystem {
  write(handle: number, bytes: Buffer): number;
  sync(handle: number): void;
}

const realFiles: FileSystem = {
  write: (handle, bytes) => writeSync(handle, bytes),
  sync: (handle) => fsyncSync(handle),
};

/**
 * One record on disk: a header line that says what it is, whose, and its checksum, then the record. It is written under
 * another name, flushed, renamed and the folder flushed: after a crash it is the old one or the new one, whole.
 */
export class RecordFile {
  readonly #file: string;
  readonly #owner: Owner;
  readonly #fs: FileSystem;

  constructor(file: string, owner: Owner, fs: FileSystem = realFiles) {
    this.#file = file;
    this.#owner = owner;
    this.#fs = fs;
  }

  /** The record, or null if there never was one. Refuses what it cannot trust. */
  read(): { readonly record: Json } | null {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusable('cannot be read', error);
    }
    const end = text.indexOf('\n');
    const header = parse(text.slice(0, Math.max(0, end)));
    if (typeof header !== 'object' || header === null || Array.isArray(header)) {
      throw this.#corrupt('it has no header');
    }
    const { format, cluster, id, election, protocol, sha256 } = header as Record<string, unknown>;
    const owner = { cluster, id, election, protocol };
    if (format !== FORMAT) throw this.#corrupt(`expected the format ${FORMAT}, found ${show(format)}`);
    const body = text.slice(end + 1);
    if (sha256 !== checksum(owner, body)) {
      throw this.#corrupt('its checksum does not fit what it holds');
    }
    this.#refuseForeign(owner);
    const record = parse(body);
    if (record === undefined) throw this.#corrupt('it is not JSON');
    return { record: record as Json };
  }

  /** Returns when the record is durable; throws if it may not be. */
  write(record: Json): void {
    const body = JSON.stringify(record);
    const { cluster, id, election, protocol } = this.#owner;
    const sha256 = checksum(this.#owner, body);
    const header = JSON.stringify({ format: FORMAT, cluster, id, election, protocol, sha256 });
    const bytes = Buffer.from(`${header}\n${body}`);
    const temporary = `${this.#file}.new`;
    try {
      const handle = openSync(temporary, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += this.#fs.write(handle, bytes.subarray(at));
        this.#fs.sync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, this.#file);
      syncFolder(path.dirname(this.#file), this.#fs);
    } catch (error) {
      removeIfPossible(temporary);
      throw this.#unusable('cannot be written', error);
    }
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
        'the member then recalls from the others what it needs before it votes',
    );
  }

  #unusable(what: string, cause: unknown): CaucusError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new CaucusError('E_STORE_UNUSABLE', `${this.#file}: ${what}: ${reason}`, { cause });
  }
}

/** A renamed file is durable only once the folder that names it is. */
function syncFolder(folder: string, fs: FileSystem): void {
  const handle = openSync(folder, 'r');
  try {
    fs.sync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Over the header's other fields too: a flipped bit there is damage, not somebody else's record. */
function checksum({ cluster, id, election, protocol }: Claimed, body: string): string {
  const head = JSON.stringify([FORMAT, cluster, id, election, protocol]);
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
