/** The log of a data folder: the records of all elections but the main one. `src/store` decides what is written where. */
import type { Json } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import {
  GroupCommit,
  type LogEntry,
  type LogOwner,
  type LogRecovery,
  RecordLog,
  recoverLog,
} from '../store/index.ts';
import {
  CODES,
  FileFolder,
  type FileSystem,
  MEANWHILE,
  nodeCoding,
  readIfThere,
  realFiles,
  unusable,
} from './record-file.ts';

/** The log as it is, without a change to its file. */
export function lookAtLog(file: string, owner: LogOwner): LogRecovery {
  return recoverLog(readIfThere(file), owner, nodeCoding);
}

export class LogFile {
  readonly #file: string;
  readonly #log: RecordLog;
  readonly #commit: GroupCommit;
  readonly #found: LogRecovery;

  /**
   * `assertOurs` is called before what a start finds is written again, `before` before the file is changed later, and
   * `beforeFirst` before it is made for the first time. All throw if it must not be changed.
   */
  constructor(
    file: string,
    owner: LogOwner,
    { assertOurs, before, beforeFirst, fs = realFiles }: LogFileAround,
  ) {
    this.#file = file;
    this.#log = new RecordLog(owner, nodeCoding);
    const folder = new FileFolder(file, fs, assertOurs);
    try {
      this.#found = this.#log.open(folder.guarded);
    } catch (cause) {
      throw unusable(file, 'cannot be read', cause);
    } finally {
      folder.close();
    }
    let exists = this.#found.is !== 'empty';
    folder.assertOurs = () => {
      before();
      if (!exists) beforeFirst();
      exists = true;
    };
    this.#commit = new GroupCommit(this.#log, folder, (work) => void setImmediate(work));
  }

  get exists(): boolean {
    return this.#found.is !== 'empty';
  }

  /** Is it damaged, or that of another member or release? */
  get isRefused(): boolean {
    return this.#found.is === 'refused';
  }

  /** The elections that it has a record of. */
  get elections(): Iterable<string> {
    return this.#log.records.keys();
  }

  /** Has it a record of this election? If the log cannot be used, it may have. */
  has(election: string): boolean {
    return this.isRefused || this.#log.records.has(election);
  }

  /** The protocol that wrote the newest record of this election, or null if there is none. */
  protocolOf(election: string): string | null {
    return this.#log.records.get(election)?.protocol ?? null;
  }

  /** The newest record of this election, or null if there is none. Throws if the log cannot be trusted. */
  read(election: string, protocol: string): { readonly record: Json } | null {
    const found = this.#found;
    if (found.is === 'refused') throw new CaucusError(CODES[found.why], `${this.#file}: ${found.reason}`);
    const saved = this.#log.records.get(election);
    if (saved === undefined) return null;
    if (saved.protocol !== protocol)
      throw new CaucusError(
        'E_STORE_FOREIGN',
        `${this.#file}: election ${election} belongs to protocol ${JSON.stringify(saved.protocol)}, not to ` +
          `${JSON.stringify(protocol)}; give this member a data folder of its own`,
      );
    return { record: JSON.parse(saved.text) as Json };
  }

  /** Calls back when the record is durable, with null, or with a CaucusError if it may not be. */
  saveSoon(entry: LogEntry, done: (failure: Error | null) => void): void {
    this.#commit.save(entry, (failure) =>
      done(failure === null ? null : unusable(this.#file, 'cannot be written', failure, MEANWHILE)),
    );
  }

  /** Returns when the record is durable; throws if it may not be. */
  save(entry: LogEntry): void {
    let outcome: Error | null = new CaucusError('E_CLOSED', 'the member was closed');
    this.saveSoon(entry, (failure) => {
      outcome = failure;
    });
    this.settle();
    if (outcome !== null) throw outcome;
  }

  /** Everything that was given to `saveSoon` is durable, or was answered with the error, when this returns. */
  settle(): void {
    this.#commit.saveNow();
  }

  close(): void {
    this.#commit.close();
  }
}

interface LogFileAround {
  assertOurs(): void;
  before(): void;
  beforeFirst(): void;
  readonly fs?: FileSystem | undefined;
}
