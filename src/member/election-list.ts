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
  /** Takes the election into the list. `settle` makes that durable. */
  add(election: string): void;
  /** Returns when the list is durable; throws if it is not. No record of an election is written before that. */
  settle(): void;
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

  settle(): void {}

  start(disk: string, elections: Iterable<string>): void {
    this.known = { disk, elections: new Set(elections) };
  }
}

const FORMAT = 'caucus-elections/1';

/**
 * The file `elections` in the data folder: a header line with the format and the disk, then one line for each
 * election. If the file is missing, damaged or torn when the process starts, there is no list, and no election counts as
 * new to this disk.
 *
 * A program may open thousands of elections at once, and a sync for each of them would block it for seconds. So their
 * lines are appended together, before the first record of one of them is written: an election without a record has
 * promised nothing, and may count as new again.
 */
export class FileElectionList extends MemoryElectionList {
  readonly #folder: string;
  readonly #file: string;
  readonly #recorded: () => Iterable<string>;
  readonly #assertOurs: () => void;
  /** Those that are not in the file yet. */
  #added: string[] = [];
  /** An append has failed. It may have left half a line, and the next line would be read as its other half. */
  #isTorn = false;

  /**
   * `recorded`: the elections that have a record in the folder. `assertOurs` is called before the file is changed, and
   * throws if it must not be.
   */
  constructor(folder: string, recorded: () => Iterable<string>, assertOurs: () => void) {
    super();
    this.#folder = folder;
    this.#recorded = recorded;
    this.#assertOurs = assertOurs;
    this.#file = path.join(folder, LIST_FILE);
    this.known = this.#read();
  }

  override add(election: string): void {
    super.add(election);
    this.#added.push(election);
  }

  override settle(): void {
    if (this.#added.length === 0) return;
    this.#assertOurs();
    this.#try(() => {
      if (this.known === null) throw new Error('it could not be started for this disk');
      if (this.#isTorn) this.#replace(this.known);
      else this.#append();
    });
    this.#added = [];
  }

  /**
   * Records in the folder belong to earlier disks. Their elections are listed too: if one of the records gets lost
   * later, its election still does not count as new.
   */
  override start(disk: string, opened: Iterable<string>): void {
    this.#assertOurs();
    this.known = null;
    this.#try(() => {
      const known = { disk, elections: new Set([...opened, ...this.#recorded()]) };
      this.#replace(known);
      this.known = known;
    });
    this.#added = [];
  }

  #append(): void {
    this.#isTorn = true;
    // Not created if it is missing: without its header it would not be a list.
    const handle = openSync(this.#file, constants.O_WRONLY | constants.O_APPEND);
    try {
      writeFileSync(handle, this.#added.map((election) => `${election}\n`).join(''));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    this.#isTorn = false;
  }

  #replace(known: Known): void {
    const draft = `${this.#file}.new`;
    const handle = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(handle, listText(known));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, this.#file);
    syncFolder(this.#folder);
    this.#isTorn = false;
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
