import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { ClusterRecovery, Json, MemberId } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { BESIDE_LOG } from '../store/index.ts';
import { drawName } from './draw-name.ts';
import { type ElectionList, FileElectionList, MemoryElectionList } from './election-list.ts';
import { type ElectionStore, type Place, Records } from './election-records.ts';
import { electionFile, filedIn, historyFile, LOG_FILE, MEMBER_FILE } from './folder-files.ts';
import { forgetfulHistory, HistoryFile, type HistoryLog } from './history-file.ts';
import type { Peer } from './links/links.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { LogFile } from './log-file.ts';
import { LogPlace, type LogPlaces } from './log-place.ts';
import { makeFolder } from './make-folder.ts';
import { type FileSystem, RecordFile } from './record-file.ts';
import { finishRecovery } from './recovery-journal.ts';
import { SameParts } from './same-parts.ts';
import { WriteTurns } from './write-turns.ts';

/** What a member keeps about itself. */
export interface MemberRecord {
  /**
   * Counts the starts on this data folder, beginning at a random number. For people, and for protocols that
   * distinguish starts.
   */
  readonly incarnation: number;
  /** Names this process. */
  readonly life: string;
  /** Does it survive a restart? */
  readonly keeps: boolean;
  /** Voters that registered. */
  readonly voters: readonly Peer[];
  /** The members of the cluster that this one last knew, with their addresses. */
  readonly members: readonly Peer[];
  /** Members that were removed from the cluster. */
  readonly removed: readonly MemberId[];
  /** The recovery that its cluster comes from, if it comes from one. */
  readonly recovery?: ClusterRecovery | undefined;
}

/** What a member keeps, in a folder or only in memory. */
export interface Store {
  readonly member: MemberRecord;
  /** Stores the voters, if there is a data folder. */
  saveVoters(voters: readonly Peer[]): void;
  /** Stores the members of the cluster, and those that were removed. */
  saveMembers(members: readonly Peer[], removed: readonly MemberId[]): void;
  /** From now on this member belongs to a cluster that was recovered. It does so also if it cannot be stored. */
  adopt(recovery: ClusterRecovery): void;
  /** The records of all elections, whether they are open or not; null for one that cannot be read. */
  records(protocol: string): readonly (Json | null)[];
  election(name: string, protocol: string): ElectionStore;
  /** Is there a record of this election, of whatever protocol? */
  isRecorded(election: string): boolean;
  history(election: string, onFailure: (reason: string) => void): HistoryLog;
  /** Throws CaucusError if the data folder was deleted, or another process has taken it over. */
  assertOurs(): void;
  close(): void;
}

/** Keeps nothing after the process ends: to the other members, every start is a new disk. */
export function forgetfulStore(mainElection: string): Store {
  const records = new Records(mainElection, new MemoryElectionList());
  let member: MemberRecord = {
    incarnation: firstIncarnation(),
    life: drawName(),
    keeps: false,
    voters: [],
    members: [],
    removed: [],
  };
  return {
    get member() {
      return member;
    },
    saveVoters: () => {},
    saveMembers: () => {},
    adopt: (recovery) => {
      member = { ...member, recovery };
    },
    records: () => [],
    election: (name) => records.of(name, { read: () => null, write: () => {} }),
    isRecorded: () => false,
    history: () => forgetfulHistory,
    assertOurs: () => {},
    close: () => {},
  };
}

/**
 * A folder with one file for the member, one for the main election and a log for all others, used by one process at a
 * time.
 */
export async function openStore(
  folder: string,
  cluster: string,
  id: MemberId,
  mainElection: string,
  fs?: FileSystem,
): Promise<Store> {
  prepareFolder(folder);
  const lock = await lockFolder(folder);
  try {
    finishRecovery(folder);
    return new FolderStore(folder, cluster, id, mainElection, lock, fs);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class FolderStore implements Store {
  readonly #folder: string;
  readonly #cluster: string;
  readonly #id: MemberId;
  readonly #lock: FolderLock;
  readonly #fs: FileSystem | undefined;
  readonly #mainElection: string;
  readonly #log: LogFile;
  readonly #list: ElectionList;
  readonly #records: Records;
  readonly #histories = new WriteTurns();
  readonly #places: LogPlaces;
  #file: RecordFile;
  /** That of the main election, once it is opened. */
  #main: RecordFile | null = null;
  member: MemberRecord;

  constructor(
    folder: string,
    cluster: string,
    id: MemberId,
    mainElection: string,
    lock: FolderLock,
    fs: FileSystem | undefined,
  ) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.#id = id;
    this.#lock = lock;
    this.#fs = fs;
    this.#mainElection = mainElection;
    this.#log = new LogFile(
      path.join(folder, LOG_FILE),
      { cluster, id },
      {
        assertOurs: () => this.#lock.assert(),
        before: () => this.#beforeLog(),
        beforeFirst: () => this.#shutOutEarlier(),
        fs,
      },
    );
    const read: LogPlaces['read'] = (name, protocol) => this.#read(name, protocol);
    this.#places = { folder, log: this.#log, same: new SameParts(), read };
    this.#file = this.#memberFile(this.#log.exists);
    this.#list = new FileElectionList(
      folder,
      () => this.#recorded,
      () => this.#lock.assert(),
    );
    this.#records = new Records(mainElection, this.#list);
    const before = this.#file.read()?.record as Partial<MemberRecord> | undefined;
    this.member = {
      life: drawName(),
      keeps: true,
      incarnation: before?.incarnation === undefined ? firstIncarnation() : before.incarnation + 1,
      voters: before?.voters ?? [],
      members: before?.members ?? [],
      removed: before?.removed ?? [],
      recovery: before?.recovery,
    };
    this.#saveMember();
    this.#takeMainFromLog();
  }

  saveVoters(voters: readonly Peer[]): void {
    this.member = { ...this.member, voters };
    this.#saveMember();
  }

  saveMembers(members: readonly Peer[], removed: readonly MemberId[]): void {
    this.member = { ...this.member, members, removed };
    this.#saveMember();
  }

  adopt(recovery: ClusterRecovery): void {
    this.member = { ...this.member, recovery };
    this.#saveMember();
  }

  records(protocol: string): readonly (Json | null)[] {
    const found = [...this.#recorded].map((name) => {
      try {
        return this.#read(name, protocol)?.record ?? null;
      } catch (error) {
        if (error instanceof CaucusError) return null;
        throw error;
      }
    });
    return this.#log.isRefused ? [...found, null] : found;
  }

  election(name: string, protocol: string): ElectionStore {
    return this.#records.of(
      name,
      name === this.#mainElection ? this.#ofMain(name, protocol) : new LogPlace(this.#places, name, protocol),
    );
  }

  #ofMain(name: string, protocol: string): Place {
    const file = this.#electionFile(name, protocol);
    this.#main = file;
    return {
      read: () => file.read(),
      write: (record) => file.write(record),
      soon: {
        saveSoon: (record, done) => file.writeSoon(record, done),
        settle: () => file.settle(),
      },
    };
  }

  /** The log counts: what is in a file beside it is older. */
  #read(name: string, protocol: string): { readonly record: Json } | null {
    return this.#log.read(name, protocol) ?? this.#electionFile(name, protocol).read();
  }

  /** The elections that have a record in the folder. */
  get #recorded(): ReadonlySet<string> {
    return new Set([...filedIn(this.#folder), ...this.#log.elections]);
  }

  isRecorded(election: string): boolean {
    return this.#log.has(election) || filedIn(this.#folder).includes(election);
  }

  history(election: string, onFailure: (reason: string) => void): HistoryLog {
    return new HistoryFile(path.join(this.#folder, historyFile(election)), onFailure, this.#histories);
  }

  assertOurs(): void {
    this.#lock.assert();
  }

  close(): void {
    this.#log.close();
    this.#main?.close();
    this.#lock.release();
  }

  /**
   * An election that was another one of the member's elections is its main election now. The record is durable in its
   * file before the log drops it, and no other is written there before that.
   */
  #takeMainFromLog(): void {
    const name = this.#mainElection;
    const protocol = this.#log.protocolOf(name);
    if (protocol === null) return;
    this.#electionFile(name, protocol).write(this.#log.read(name, protocol)!.record);
    this.#log.save({ election: name, saved: null });
  }

  /** Elections are listed before they have a record. */
  #beforeLog(): void {
    this.#lock.assert();
    this.#list.settle();
  }

  /** From now on earlier releases refuse the folder: they would not find the records that are in the log. */
  #shutOutEarlier(): void {
    this.#file = this.#memberFile(true);
    this.#saveMember();
  }

  #memberFile(isBesideLog: boolean): RecordFile {
    const owner = { cluster: this.#cluster, id: this.#id, election: null, protocol: null };
    const file = path.join(this.#folder, MEMBER_FILE);
    const format = isBesideLog ? BESIDE_LOG : undefined;
    return new RecordFile(file, owner, this.#fs, format, () => this.#lock.assert());
  }

  #saveMember(): void {
    const { incarnation, voters, members, removed, recovery } = this.member;
    const known = recovery === undefined ? {} : { recovery };
    this.#file.write({ incarnation, voters, members, removed, ...known } as unknown as Json);
  }

  #electionFile(name: string, protocol: string): RecordFile {
    const owner = { cluster: this.#cluster, id: this.#id, election: name, protocol };
    const file = path.join(this.#folder, electionFile(name));
    return new RecordFile(file, owner, this.#fs, undefined, () => this.#lock.assert());
  }
}

/**
 * Without a record of earlier starts, the count begins at a random number: a count that begins at 1 each time would
 * repeat. The clock does not help, since it can be set back.
 */
function firstIncarnation(): number {
  return randomInt(1, 2 ** 47);
}

function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CaucusError('E_STORE_UNUSABLE', `${folder}: cannot be used as a data folder: ${reason}`, {
      cause,
    });
  }
}
