import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { ClusterRecovery, Json, MemberId } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import type { Owner } from '../store/index.ts';
import { drawName } from './draw-name.ts';
import { type ElectionList, FileElectionList, MemoryElectionList } from './election-list.ts';
import { electionFile, historyFile, MEMBER_FILE, recordedIn } from './folder-files.ts';
import { forgetfulHistory, HistoryFile, type HistoryLog } from './history-file.ts';
import type { Peer } from './links/links.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { makeFolder } from './make-folder.ts';
import { type FileSystem, RecordFile } from './record-file.ts';
import { finishRecovery } from './recovery-journal.ts';

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

/** Where the record of one election is kept. */
export interface ElectionStore {
  /**
   * What the protocol is started with: the record that it saved last, or null if there is none. An election that was
   * certainly never opened on this disk may start with what `inherit` derives from the newest record of the main
   * election.
   */
  load(inherit: (main: Json) => Json | null): Json;
  save(record: Json): void;
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
    election: (name) =>
      records.of(
        name,
        () => null,
        () => {},
      ),
    isRecorded: () => false,
    history: () => forgetfulHistory,
    assertOurs: () => {},
    close: () => {},
  };
}

/** A folder with one file for the member and one for each election, used by one process at a time. */
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
  readonly #file: RecordFile;
  readonly #records: Records;
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
    this.#file = this.#recordFile(MEMBER_FILE, { election: null, protocol: null });
    this.#records = new Records(mainElection, new FileElectionList(folder));
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
    return recordedIn(this.#folder).map((name) => {
      try {
        return this.#electionFile(name, protocol).read()?.record ?? null;
      } catch (error) {
        if (error instanceof CaucusError) return null;
        throw error;
      }
    });
  }

  election(name: string, protocol: string): ElectionStore {
    const file = this.#electionFile(name, protocol);
    return this.#records.of(
      name,
      () => file.read(),
      (record) => {
        this.#lock.assert();
        file.write(record);
      },
    );
  }

  isRecorded(election: string): boolean {
    return recordedIn(this.#folder).includes(election);
  }

  history(election: string, onFailure: (reason: string) => void): HistoryLog {
    return new HistoryFile(path.join(this.#folder, historyFile(election)), onFailure);
  }

  assertOurs(): void {
    this.#lock.assert();
  }

  close(): void {
    this.#lock.release();
  }

  #saveMember(): void {
    const { incarnation, voters, members, removed, recovery } = this.member;
    const known = recovery === undefined ? {} : { recovery };
    this.#file.write({ incarnation, voters, members, removed, ...known } as unknown as Json);
  }

  #electionFile(name: string, protocol: string): RecordFile {
    return this.#recordFile(electionFile(name), { election: name, protocol });
  }

  #recordFile(name: string, of: Pick<Owner, 'election' | 'protocol'>): RecordFile {
    const owner = { cluster: this.#cluster, id: this.#id, ...of };
    return new RecordFile(path.join(this.#folder, name), owner, this.#fs);
  }
}

/**
 * The records of all elections on one disk. The record of the main election names the disk (its field `disk`). An
 * election that starts later may start on that same disk if the disk certainly never took part in it.
 */
class Records {
  readonly #mainElection: string;
  readonly #list: ElectionList;
  /** All elections that this process opened. */
  readonly #opened = new Set<string>();
  /** The newest durable record of the main election. */
  #main: { readonly record: Json } | null = null;

  constructor(mainElection: string, list: ElectionList) {
    this.#mainElection = mainElection;
    this.#list = list;
    this.#opened.add(mainElection);
  }

  of(
    name: string,
    read: () => { readonly record: Json } | null,
    write: (record: Json) => void,
  ): ElectionStore {
    const isMain = name === this.#mainElection;
    return {
      load: (inherit) => {
        const found = read();
        if (isMain) this.#main = found;
        const isNew = !isMain && this.#enlist(name);
        if (found !== null) return found.record;
        return isNew && this.#main !== null ? inherit(this.#main.record) : null;
      },
      save: (record) => {
        if (isMain) this.#beforeMain(record);
        write(record);
        if (isMain) this.#main = { record };
      },
    };
  }

  /**
   * Is it certain that this disk never took part in the election? If so, the election is listed before it starts, so
   * that it never counts as new again.
   */
  #enlist(name: string): boolean {
    this.#opened.add(name);
    const disk = diskOf(this.#main);
    if (disk === null || !this.#list.isNew(name, disk)) return false;
    this.#list.add(name);
    return true;
  }

  /**
   * A disk that is new to the main election has taken part only in elections that this process opened, so its list
   * can start now. The list is written before the record that names the disk: a crash in between leaves the list of
   * another disk, and with that no election counts as new.
   */
  #beforeMain(record: Json): void {
    const disk = diskOf({ record });
    if (disk !== null && disk !== diskOf(this.#main)) this.#list.start(disk, this.#opened);
  }
}

/** The disk that a record belongs to, if its protocol has disks. */
function diskOf(found: { readonly record: Json } | null): string | null {
  const record = found?.record;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return null;
  const { disk } = record as { readonly [field: string]: Json };
  return typeof disk === 'string' ? disk : null;
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
