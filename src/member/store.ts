import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Json, MemberId } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import type { Peer } from './links/links.ts';
import { type FolderLock, lockFolder } from './lock.ts';
import { makeFolder } from './make-folder.ts';
import { type FileSystem, type Owner, RecordFile } from './record-file.ts';

/** What a member remembers of itself. */
export interface MemberRecord {
  readonly incarnation: number;
  /** Names this process. */
  readonly life: string;
  /** This folder has been there since the first start of this id: an election without a file is new to this member. */
  readonly isComplete: boolean;
  /** Voters that made themselves known. */
  readonly voters: readonly Peer[];
}

/** Where the record of one election is kept. */
export interface ElectionStore {
  /** What a protocol is started with: what it saved last; null if that may have been lost. */
  load(genesis: () => Json): Json;
  save(record: Json): void;
}

/** What outlives the process, or does not. */
export interface Store {
  readonly member: MemberRecord;
  /** Remembers voters, if it can. */
  saveVoters(voters: readonly Peer[]): void;
  election(name: string, protocol: string): ElectionStore;
  close(): void;
}

/** Keeps nothing: after a restart, a member has to recall from the others what it needs. */
export function forgetfulStore(isFirstStart: boolean): Store {
  const incarnation = Date.now();
  return {
    member: { incarnation, life: randomUUID(), isComplete: isFirstStart, voters: [] },
    saveVoters: () => {},
    election: () => ({ load: (genesis) => (isFirstStart ? genesis() : null), save: () => {} }),
    close: () => {},
  };
}

/** A folder with one file for the member and one for each election, used by one process at a time. */
export async function openStore(
  folder: string,
  cluster: string,
  id: MemberId,
  isFirstStart: boolean,
  fs?: FileSystem,
): Promise<Store> {
  prepareFolder(folder);
  const lock = await lockFolder(folder);
  try {
    return new FolderStore(folder, cluster, id, isFirstStart, lock, fs);
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
  member: MemberRecord;

  constructor(
    folder: string,
    cluster: string,
    id: MemberId,
    isFirstStart: boolean,
    lock: FolderLock,
    fs: FileSystem | undefined,
  ) {
    this.#folder = folder;
    this.#cluster = cluster;
    this.#id = id;
    this.#lock = lock;
    this.#fs = fs;
    this.#file = this.#recordFile('member.json', { election: null, protocol: null });
    const found = this.#file.read();
    const before = found?.record as MemberRecord | undefined;
    this.member = {
      life: randomUUID(),
      incarnation: Math.max((before?.incarnation ?? 0) + 1, Date.now()),
      isComplete: before?.isComplete ?? isFirstStart,
      voters: before?.voters ?? [],
    };
    this.#saveMember();
  }

  saveVoters(voters: readonly Peer[]): void {
    this.member = { ...this.member, voters };
    this.#saveMember();
  }

  election(name: string, protocol: string): ElectionStore {
    const file = this.#recordFile(`election-${name}.json`, { election: name, protocol });
    return {
      load: (genesis) => {
        const found = file.read();
        if (found !== null) return found.record;
        // Whatever binds a member is saved before it is said: where nothing ever was, nothing binds it.
        return this.member.isComplete ? genesis() : null;
      },
      save: (record) => {
        this.#lock.assert();
        file.write(record);
      },
    };
  }

  close(): void {
    this.#lock.release();
  }

  #saveMember(): void {
    this.#file.write(this.member as unknown as Json);
  }

  #recordFile(name: string, of: Pick<Owner, 'election' | 'protocol'>): RecordFile {
    const owner = { cluster: this.#cluster, id: this.#id, ...of };
    return new RecordFile(path.join(this.#folder, name), owner, this.#fs);
  }
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
