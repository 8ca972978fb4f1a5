import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { asObject, isElectionName } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { LIST_FILE } from './folder-files.ts';
import { syncFolder } from './record-file.ts';

/**
 * The elections that one disk has taken part in. If an election has no record, either the disk never took part in it
 * or the record was lost; only this list can tell. Without a trustworthy list, no election counts as new.
 */
export interface ElectionList {
  /** Is it certain that this disk never took part in that election? */
  isNew(election: string, disk: string): boolean;
  /** Returns when the entry is durable; throws if it is not. */
  add(election: string): void;
  /** Starts the list of a new disk, with the elections that it may already take part in. */
  start(disk: string, elections: Iterable<string>): void;
}

/** The list of one disk. */
interface Known {
  readonly disk: string;
  readonly elections: Set<string>;
}

/** The list of a member without a data folder. It ends with the process, like the member's disk. */
export class MemoryElectionList implements ElectionList {
  protected known: Known | null = null;

  isNew(election: string, disk: string): boolean {
    return this.known?.disk === disk && !this.known.elections.has(election);
  }

  add(election: string): void {
    this.known?.elections.add(election);
  }

  start(disk: string, elections: Iterable<string>): void {
    this.known = { disk, elections: new Set(elections) };
  }
}

const FORMAT = 'caucus-elections/1';

/**
 * The file `elections` in the data folder: a header line with the format and the disk, then one line for each
 * election. Lines are only appended. If the file is missing, damaged or torn there is no list, and no election counts
 * as new to this disk.
 */
export class FileElectionList extends MemoryElectionList {
  readonly #folder: string;
  readonly #file: string;
  readonly #recorded: () => Iterable<string>;

  /** `recorded`: the elections that have a record in the folder. */
  constructor(folder: string, recorded: () => Iterable<string>) {
    super();
    this.#folder = folder;
    this.#recorded = recorded;
    this.#file = path.join(folder, LIST_FILE);
    this.known = this.#read();
  }

  override add(election: string): void {
    const { known } = this;
    // If the append fails it may leave half a line, and the next line would be read as its other half. So the list is
    // not used again until it succeeds.
    this.known = null;
    this.#try(() => {
      // Not created if it is missing: without its header it would not be a list.
      const handle = openSync(this.#file, constants.O_WRONLY | constants.O_APPEND);
      try {
        writeFileSync(handle, `${election}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
    });
    this.known = known;
    super.add(election);
  }

  /**
   * Records in the folder belong to earlier disks. Their elections are listed too: if one of the records gets lost
   * later, its election still does not count as new.
   */
  override start(disk: string, opened: Iterable<string>): void {
    this.known = null;
    this.#try(() => {
      const elections = new Set([...opened, ...this.#recorded()]);
      const temporary = `${this.#file}.new`;
      const handle = openSync(temporary, 'w', 0o600);
      try {
        writeFileSync(handle, listText({ disk, elections }));
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, this.#file);
      syncFolder(this.#folder);
      this.known = { disk, elections };
    });
  }

  #read(): Known | null {
    try {
      return parseList(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw this.#unusable('cannot be read', error);
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw this.#unusable('cannot be written', error);
    }
  }

  #unusable(what: string, cause: unknown): CaucusError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new CaucusError('E_STORE_UNUSABLE', `${this.#file}: ${what}: ${reason}`, { cause });
  }
}

export function listText({ disk, elections }: Known): string {
  return [JSON.stringify({ format: FORMAT, disk }), ...elections].map((line) => `${line}\n`).join('');
}

/** Null unless the text is a complete list. */
export function parseList(text: string): Known | null {
  const [header = '', ...elections] = text.split('\n');
  // Every line ends with a newline, so the last piece is empty. If not, an append was cut short.
  if (elections.pop() !== '' || !elections.every(isElectionName)) return null;
  try {
    const { format, disk } = asObject(JSON.parse(header), 'header');
    if (format !== FORMAT || typeof disk !== 'string') return null;
    return { disk, elections: new Set(elections) };
  } catch {
    return null;
  }
}
