/**
 * `caucus recover`: a majority of the members of a cluster was lost for good, and one that is left becomes a cluster of
 * its own. All elections of its data folder go on with this member alone, on a disk of a new name, and with terms that
 * the lost members cannot have reached.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Change } from '../api/index.ts';
import {
  type ClusterRecovery,
  type Definition,
  idSet,
  type Json,
  type MemberId,
  MOST_EARLIER,
  recoveryWords,
} from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { BESIDE_LOG, type LogEntry, newLog, type Owner } from '../store/index.ts';
import type { MemberRecord } from './data-folder.ts';
import { largestClaim } from './door.ts';
import { drawName } from './draw-name.ts';
import { listText, parseList } from './election-list.ts';
import { electionFile, filedIn, historyFile, LIST_FILE, LOG_FILE, MEMBER_FILE } from './folder-files.ts';
import { withEntry } from './history-file.ts';
import type { Peer } from './links/links.ts';
import { holderOf, lockFolder } from './lock.ts';
import { lookAtLog } from './log-file.ts';
import { nodeCoding, RecordFile, recordBytes } from './record-file.ts';
import { finishRecovery, type JournalFiles, type NewFiles, replaceFiles } from './recovery-journal.ts';

/**
 * More elections than lost members can have held that this disk never heard of, and more versions than they can have
 * published: at one each millisecond, those of eleven days.
 */
export const RECOVERY_STEP = 1_000_000_000;

export interface RecoverOptions {
  readonly data: string;
  readonly cluster: string;
  readonly id: MemberId;
  /** The protocols of which records may be in the folder. */
  readonly definitions: readonly Definition[];
  /** The person or account that recovers, for the history. */
  readonly by: string;
  readonly nowMs: number;
}

/** What will become of one election. */
export interface RecoveredElection {
  readonly name: string;
  /** The newest term that this disk has heard of, which is the largest token. */
  readonly term: number;
  /** The members besides this one, all of which are dropped. */
  readonly dropped: readonly MemberId[];
  /** Was this member one of them? */
  readonly wasMember: boolean;
}

export interface RecoveryPlan {
  readonly elections: readonly RecoveredElection[];
  /** The newest term over all elections. */
  readonly highest: number;
  readonly dropped: readonly MemberId[];
  /** Where the members were, this one too, as far as the folder knows. */
  readonly addresses: readonly Peer[];
  readonly recovery: ClusterRecovery;
  /** The recovery that this folder comes from already. */
  readonly before: ClusterRecovery | null;
  /** Where the files as they are now will be kept. */
  readonly copy: string;
}

/** A data folder that is locked by this process, to be recovered. */
export interface OpenRecovery {
  readonly plan: RecoveryPlan;
  /** Throws if nothing was done, or if the rest is left to the next start of the member. */
  carryOut(files?: JournalFiles): void;
  release(): void;
}

interface Found {
  readonly name: string;
  readonly definition: Definition;
  readonly record: Json;
  /** Is it in the log, and not in a file of its own? */
  readonly isLogged: boolean;
}

/**
 * Reads everything, and changes nothing. An earlier recovery of this folder that was interrupted is completed instead.
 * Throws CaucusError, in one line, if the folder cannot be recovered.
 */
export async function openRecovery(options: RecoverOptions): Promise<OpenRecovery | 'completed'> {
  const { data } = options;
  if (!(statSync(data, { throwIfNoEntry: false })?.isDirectory() ?? false))
    throw new CaucusError('E_STORE_UNUSABLE', `${data}: there is no such folder`);
  const holder = await holderOf(data);
  if (holder !== null)
    throw new CaucusError('E_STORE_LOCKED', `${data}: is used by ${holder}; stop the member first`);
  const lock = await lockFolder(data);
  try {
    if (finishRecovery(data)) {
      lock.release();
      return 'completed';
    }
    const found = readElections(options);
    const member = read(options, MEMBER_FILE, { election: null, protocol: null }) as MemberRecord | null;
    const plan = planOf(options, found, member);
    return {
      plan,
      carryOut(files) {
        lock.assert();
        replaceFiles(data, newFiles(options, plan, found, member), files);
      },
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function readElections(options: RecoverOptions): readonly Found[] {
  const { data, definitions } = options;
  const recoverable = definitions.filter(({ recovering }) => recovering !== undefined);
  const logged = readLog(options, recoverable);
  const names = filedIn(data).filter((name) => logged.every((each) => each.name !== name));
  if (names.length + logged.length === 0)
    throw new CaucusError(
      'E_STORE_UNUSABLE',
      `${data}: holds no record of an election, so there is nothing to recover`,
    );
  const filed = names.map((name): Found => {
    const refusals: unknown[] = [];
    for (const definition of recoverable) {
      const of = { election: name, protocol: definition.name };
      try {
        return { name, definition, record: read(options, electionFile(name), of)!, isLogged: false };
      } catch (error) {
        refusals.push(error);
      }
    }
    throw refusals[0];
  });
  return [...filed, ...logged].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readLog({ data, cluster, id }: RecoverOptions, recoverable: readonly Definition[]): Found[] {
  const where = path.join(data, LOG_FILE);
  const found = lookAtLog(where, { cluster, id });
  if (found.is === 'empty') return [];
  const refuse = (what: string): CaucusError =>
    new CaucusError('E_STORE_CORRUPT', `${where}: ${what}; this folder cannot be recovered as that one`);
  if (found.is === 'refused') throw refuse(found.found);
  return [...found.records].map(([name, { protocol, text }]) => {
    const definition = recoverable.find((each) => each.name === protocol);
    if (definition === undefined)
      throw refuse(`election ${name} belongs to protocol "${protocol}", which has no recovery`);
    return { name, definition, record: JSON.parse(text) as Json, isLogged: true };
  });
}

function read(
  { data, cluster, id }: RecoverOptions,
  file: string,
  of: Pick<Owner, 'election' | 'protocol'>,
): Json | null {
  const where = path.join(data, file);
  const found = new RecordFile(where, { cluster, id, ...of }).look();
  if (found.is === 'empty') return null;
  if (found.is === 'record') return found.record;
  const what = found.found;
  throw new CaucusError('E_STORE_CORRUPT', `${where}: ${what}; this folder cannot be recovered as that one`);
}

function planOf(
  { data, id, nowMs }: RecoverOptions,
  found: readonly Found[],
  member: MemberRecord | null,
): RecoveryPlan {
  const before = member?.recovery ?? null;
  const elections = found.map(({ name, definition, record }): RecoveredElection => {
    const { term, members } = definition.recovering!.read(record);
    return { name, term, dropped: members.filter((each) => each !== id), wasMember: members.includes(id) };
  });
  const highest = Math.max(before?.term ?? 0, ...elections.map(({ term }) => term));
  const term = highest + RECOVERY_STEP;
  const most = largestClaim(nowMs, 'link');
  if (term > most)
    throw new CaucusError(
      'E_REFUSED',
      `${data}: its terms have reached ${highest}, and members believe none above ${most}; begin a new cluster, under another name, and fence it by that name`,
    );
  const earlier = before === null ? [] : [...before.earlier, before.id].slice(-MOST_EARLIER);
  const recovery = { id: drawName(), member: id, at: new Date(nowMs).toISOString(), term, earlier };
  return {
    elections,
    highest,
    dropped: idSet(elections.flatMap(({ dropped }) => dropped)),
    addresses: member?.members ?? [],
    recovery,
    before,
    copy: path.join(data, copyName(recovery)),
  };
}

function copyName({ at, id }: ClusterRecovery): string {
  return `before-recovery-${at.replaceAll(':', '-')}-${id.slice(0, 8)}`;
}

function newFiles(
  { data, cluster, id, by }: RecoverOptions,
  { elections, recovery, copy }: RecoveryPlan,
  found: readonly Found[],
  member: MemberRecord | null,
): NewFiles {
  const files = new Map<string, Uint8Array>();
  const old = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of old)
    files.set(path.join(path.basename(copy), name), readFileSync(path.join(data, name)));
  const disk = drawName();
  const logged: LogEntry[] = [];
  for (const { name, definition, record, isLogged } of found) {
    const { read: known, recover } = definition.recovering!;
    const version = known(record).version + RECOVERY_STEP;
    const owner = { cluster, id, election: name, protocol: definition.name };
    const next = recover(id, record, { disk, term: recovery.term, version });
    if (isLogged)
      logged.push({ election: name, saved: { protocol: definition.name, text: JSON.stringify(next) } });
    else files.set(electionFile(name), recordBytes(owner, next));
    const { dropped } = elections.find((each) => each.name === name)!;
    const history = withEntry(textOf(data, historyFile(name)), entryOf(recovery, dropped, by));
    files.set(historyFile(name), Buffer.from(history));
  }
  const listed = parseList(textOf(data, LIST_FILE))?.elections ?? [];
  const taken = new Set([...listed, ...found.map(({ name }) => name)]);
  files.set(LIST_FILE, Buffer.from(listText({ disk, elections: taken })));
  const kept = member === null ? {} : { incarnation: member.incarnation };
  const owner = { cluster, id, election: null, protocol: null };
  const own = { ...kept, voters: [], recovery } as unknown as Json;
  const isBesideLog = logged.length > 0;
  files.set(MEMBER_FILE, recordBytes(owner, own, isBesideLog ? BESIDE_LOG : undefined));
  if (isBesideLog) files.set(LOG_FILE, newLog({ cluster, id }, 1, logged, nodeCoding).bytes);
  return files;
}

function textOf(folder: string, file: string): string {
  try {
    return readFileSync(path.join(folder, file), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function entryOf(recovery: ClusterRecovery, dropped: readonly MemberId[], by: string): Change {
  const without = dropped.length === 0 ? '' : `, without ${dropped.join(', ')}`;
  const detail = `${recoveryWords(recovery)} by ${by}${without}; its tokens are above ${recovery.term}`;
  return {
    atMs: Date.parse(recovery.at),
    leader: null,
    token: null,
    cause: 'recovered',
    detail,
    about: 'member',
  };
}
