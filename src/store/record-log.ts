/**
 * The records of many elections in one file, to which batches are appended. All records that are saved at about the
 * same time make one batch, and one sync makes all of them durable: a member that takes over a thousand elections would
 * otherwise wait for a thousand syncs.
 *
 * The file is made with room for later batches, and all its sectors are sealed then. So an append allocates nothing,
 * and a start can tell a batch that was cut short from damage (log-recovery.ts). When the room is used up, or a write
 * has failed, the next batch makes the file anew: the newest record of every election goes into a draft, which is synced
 * and then renamed. After a crash the file is the old one or the new one.
 *
 * This file decides what is written where, in which order. The caller provides the files.
 */
import { assert } from '../core/index.ts';
import { type Coding, pureCoding } from './coding.ts';
import {
  encodeBatch,
  type LogEntry,
  type LoggedRecord,
  type LogOwner,
  mostBytes,
  pagesOf,
} from './log-batch.ts';
import { type LogRecovery, recoverLog } from './log-recovery.ts';
import type { RecordFolder, Step } from './record-store.ts';
import { PAGE, ROOM_IN_PAGE, SECTOR, seal } from './sectors.ts';

/** A new file has room for at least so many pages of batches, and for so many times the records that it begins with. */
const LEAST_ROOM = 64;
const ROOM_TIMES = 3;

/** A batch to be written. It is durable once all steps were taken in order. */
export interface PlannedBatch {
  readonly steps: readonly Step[];
  readonly entries: readonly LogEntry[];
  readonly batch: number;
  readonly size: number;
  /** The page behind it. */
  readonly free: number;
}

/** What one process knows of its log. */
export class RecordLog {
  readonly #owner: LogOwner;
  readonly #coding: Coding;
  /** By election: the newest durable record. */
  readonly #records = new Map<string, LoggedRecord>();
  #batch = 0;
  #size = 0;
  /** The page at which the next batch begins. Null: the next batch makes the file anew. */
  #free: number | null = null;
  #planned: PlannedBatch | null = null;

  constructor(owner: LogOwner, coding: Coding = pureCoding) {
    this.#owner = owner;
    this.#coding = coding;
  }

  /** By election: the newest durable record. */
  get records(): ReadonlyMap<string, LoggedRecord> {
    return this.#records;
  }

  /**
   * Reads the log at a start. Its last batch is made durable before it is returned, as a record's file is. The ones
   * before it, and all that a new file begins with, were durable before anything else was written.
   */
  open(folder: Pick<RecordFolder, 'read' | 'write' | 'sync' | 'syncFolder'>): LogRecovery {
    const bytes = folder.read();
    const found = recoverLog(bytes, this.#owner, this.#coding);
    if (found.is !== 'log') return found;
    const [from, to] = found.last;
    if (from > 0) folder.write('record', bytes!.subarray(from * PAGE, to * PAGE), from * PAGE);
    folder.sync('record');
    folder.syncFolder();
    for (const [election, saved] of found.records) this.#records.set(election, saved);
    this.#batch = found.batch;
    this.#size = found.size;
    this.#free = found.free;
    return found;
  }

  /** Plans the next batch. One at a time: then `durable` or `failed` has to be called. */
  plan(entries: readonly LogEntry[]): PlannedBatch {
    assert(this.#planned === null, 'one batch at a time');
    this.#batch += 1;
    this.#planned = this.#append(entries) ?? this.#rewrite(entries);
    return this.#planned;
  }

  /** All steps of the planned batch were taken. */
  durable(): void {
    const { entries, size, free } = this.#end();
    for (const { election, saved } of entries) {
      if (saved === null) this.#records.delete(election);
      else this.#records.set(election, saved.kept ?? saved);
    }
    this.#size = size;
    this.#free = free;
  }

  /** A step of the planned batch failed: the content of the file is unknown, and the next batch makes it anew. */
  failed(): void {
    this.#end();
    this.#free = null;
  }

  #end(): PlannedBatch {
    const planned = this.#planned;
    assert(planned !== null, 'a batch was planned');
    this.#planned = null;
    return planned;
  }

  /** Null if there is no room. */
  #append(entries: readonly LogEntry[]): PlannedBatch | null {
    const at = this.#free;
    if (at === null) return null;
    const [batch, size] = [this.#batch, this.#size];
    const content = encodeBatch(this.#owner, { batch, size }, entries, this.#coding);
    const free = at + pagesOf(content.length);
    if (free * PAGE > size) return null;
    const bytes = seal(content, (at * PAGE) / SECTOR);
    const steps: readonly Step[] = [
      { do: 'write', file: 'record', bytes, at: at * PAGE },
      { do: 'sync', file: 'record' },
    ];
    return { steps, entries, batch, size, free };
  }

  /** The newest record of every election, and room for later batches. */
  #rewrite(entries: readonly LogEntry[]): PlannedBatch {
    const batch = this.#batch;
    const kept = new Map(this.#records);
    for (const { election, saved } of entries) {
      if (saved === null) kept.delete(election);
      else kept.set(election, saved);
    }
    // Each text is read once: it may be made when it is read.
    const all = [...kept].map(([election, { protocol, text }]) => ({ election, saved: { protocol, text } }));
    const { bytes, pages } = newLog(this.#owner, batch, all, this.#coding);
    const steps: readonly Step[] = [
      { do: 'write', file: 'draft', bytes, at: 0 },
      { do: 'sync', file: 'draft' },
      { do: 'rename' },
      { do: 'sync-folder' },
    ];
    return { steps, entries, batch, size: bytes.length, free: pages };
  }
}

/** The content of a log that holds these records, and how many of its pages they take. */
export function newLog(
  owner: LogOwner,
  batch: number,
  entries: readonly LogEntry[],
  coding: Coding,
): { readonly bytes: Uint8Array; readonly pages: number } {
  const most = pagesOf(mostBytes(owner, entries, coding));
  const filePages = most + Math.max(LEAST_ROOM, ROOM_TIMES * most);
  const size = filePages * PAGE;
  const content = encodeBatch(owner, { batch, size }, entries, coding);
  const all = new Uint8Array(filePages * ROOM_IN_PAGE);
  all.set(content);
  return { bytes: seal(all, 0), pages: pagesOf(content.length) };
}
