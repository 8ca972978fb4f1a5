import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { asObject, isElectionName } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { syncFolder } from './record-file.ts';

/**
 * Which elections one disk has taken part in. An election whose record is missing is either new to the disk, or its record was
 * lost; only this list can tell the two apart, and where it cannot be trusted, no election is new.
 */
export interface ElectionList {
  /** Is it certain that this disk never took part in that election? */
  isNew(election: string, disk: string): boolean;
  /** Returns when it is durable that the disk takes part in the election; throws if it is not. */
  add(election: string): void;
  /** Begins the list of a disk that was drawn just now, with the elections that it may take part in already. */
  start(disk: string, elections: Iterable<string>): void;
}

/** What is known of a disk. */
interface Known {
  readonly disk: string;
  readonly elections: Set<string>;
}

/** The list of a member without a data folder: as its disk, it ends with the process. */
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
 * The file `elections` in the data folder: a header line with the format and the disk, then one line for each election. Lines
 * are only ever appended. A file that is missing, damaged or torn is no list: then no election is new to this disk.
 */
export class FileElectionList extends MemoryElectionList {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
    this.#file = path.join(folder, 'elections');
    this.known = this.#read();
  }

  override add(election: string): void {
    const { known } = this;
    // An append that fails may leave half a line, and the next one would be read as its other half.
    this.known = null;
    this.#try(() => {
      // Not created if it has gone missing: without its header it would be no list.
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
   * Records that are there belong to disks of before. They are listed all the same: if one of them goes missing, less has to be
   * understood to know that its election is not new.
   */
  override start(disk: string, opened: Iterable<string>): void {
    this.known = null;
    this.#try(() => {
      const elections = new Set([...opened, ...this.#recorded()]);
      const lines = [JSON.stringify({ format: FORMAT, disk }), ...elections];
      const temporary = `${this.#file}.new`;
      const handle = openSync(temporary, 'w', 0o600);
      try {
        writeFileSync(handle, lines.map((line) => `${line}\n`).join(''));
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, this.#file);
      syncFolder(this.#folder);
      this.known = { disk, elections };
    });
  }

  /** The elections that have a record in the folder. */
  #recorded(): string[] {
    return readdirSync(this.#folder).flatMap((file) => /^election-(.+)\.json$/.exec(file)?.[1] ?? []);
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

/** Null for everything that is not a whole list. */
function parseList(text: string): Known | null {
  const [header = '', ...elections] = text.split('\n');
  // Every line ends, so the last piece is empty. If it is not, an append was cut short.
  if (elections.pop() !== '' || !elections.every(isElectionName)) return null;
  try {
    const { format, disk } = asObject(JSON.parse(header), 'header');
    if (format !== FORMAT || typeof disk !== 'string') return null;
    return { disk, elections: new Set(elections) };
  } catch {
    return null;
  }
}
