/**
 * One record on disk, in a file with two copies of it. A record that fits into a page overwrites the older copy:
 * nothing is allocated and no name changes, which costs a fifth of the time. A larger one is written twice into a
 * draft, which is synced and then renamed. Either way, after a crash the newest whole copy is the old record or the
 * new one.
 *
 * This file decides what is written where, in which order, and what a start makes of it. The caller provides the
 * files: those of a data folder, or simulated ones.
 */
import { assertNever, type Json } from '../core/index.ts';
import { type Coding, pureCoding } from './coding.ts';
import { copyLength, encodeCopy, FORMAT, type Owner, type RecordCopy } from './record-copy.ts';
import { type Recovery, recover, recoverCopies, slotOf } from './recovery.ts';
import { PAGE, ROOM_IN_PAGE, SECTOR, seal, sealedLength } from './sectors.ts';

/** The two files: the record, and the draft that may replace it. */
export type FileName = 'record' | 'draft';

/** What a store needs from a disk. Each call throws if it fails. */
export interface RecordFolder {
  /** All bytes of the record's file, or null if there is none. */
  read(): Uint8Array | null;
  /** The record's file must exist; a draft is truncated first. */
  write(file: FileName, bytes: Uint8Array, at: number): void;
  /** Returns when everything that was written to the file is durable. */
  sync(file: FileName): void;
  /** Renames the draft to the record's file. */
  rename(): void;
  /** Returns when names are durable. */
  syncFolder(): void;
}

export type Step =
  | { readonly do: 'write'; readonly file: FileName; readonly bytes: Uint8Array; readonly at: number }
  | { readonly do: 'sync'; readonly file: FileName }
  | { readonly do: 'rename' }
  | { readonly do: 'sync-folder' };

export function perform(step: Step, folder: RecordFolder): void {
  switch (step.do) {
    case 'write':
      return folder.write(step.file, step.bytes, step.at);
    case 'sync':
      return folder.sync(step.file);
    case 'rename':
      return folder.rename();
    case 'sync-folder':
      return folder.syncFolder();
    default:
      assertNever(step);
  }
}

/** A record that the file is known to hold. */
interface Written {
  readonly record: Json;
  /** How many bytes its copy takes, once that has been worked out. */
  length: number | null;
}

/** What one process knows of its record's file. */
export class RecordStore {
  readonly #owner: Owner;
  readonly #coding: Coding;
  readonly #format: string;
  /** The sequence number of the last record that was found or planned. */
  #sequence = 0;
  /** The last record, if the file is known to hold it. */
  #before: Written | null = null;

  constructor(owner: Owner, coding: Coding = pureCoding, format: string = FORMAT) {
    this.#owner = owner;
    this.#coding = coding;
    this.#format = format;
  }

  /**
   * Reads the record at a start. It is made durable before it is returned: a process that was killed may have left a
   * record that only the system's memory holds, and a member that acts on it must not find an older one after a power
   * failure. A sync alone would not do: if that process was told that its sync had failed, the system may count the
   * page as written, and a second sync reports nothing. So the newest copy is written once more, as it is.
   */
  open(folder: RecordFolder): Recovery {
    const bytes = folder.read();
    const recovery = recover(bytes, this.#owner, this.#coding, this.#format);
    if (recovery.is !== 'record') return recovery;
    if (recovery.hasPages) {
      const at = slotOf(recovery.sequence) * PAGE;
      folder.write('record', bytes!.subarray(at, at + PAGE), at);
    }
    folder.sync('record');
    folder.syncFolder();
    return this.#begin(recovery);
  }

  /**
   * The same for a file that is known to hold these two writes, each in a page of its own, or one of them twice: there
   * is no need to work their bytes out and to read them again. For simulated disks.
   */
  openWritten(older: PlannedWrite, newer: PlannedWrite): Recovery {
    const copies = slotOf(newer.sequence) === 0 ? [newer, older] : [older, newer];
    return this.#begin(recoverCopies(copies, true, this.#owner));
  }

  #begin(recovery: Recovery): Recovery {
    if (recovery.is !== 'record') return recovery;
    this.#sequence = recovery.sequence;
    this.#before = recovery.hasPages ? { record: recovery.record, length: null } : null;
    return recovery;
  }

  /** Plans the next record. It is durable once all steps of the write were taken in order. */
  plan(record: Json): PlannedWrite {
    const written = { record, length: null };
    const [sequence, format] = [this.#sequence + 1, this.#format];
    const write = new PlannedWrite(this.#owner, sequence, written, this.#before, this.#coding, format);
    this.#sequence = write.sequence;
    this.#before = written;
    return write;
  }

  /** A step of the write failed: the content of the file is unknown, and the next record rewrites it. */
  failed(write: PlannedWrite): void {
    this.#sequence = write.sequence - 1;
    this.#before = null;
  }
}

/**
 * A record to be written, and the copy of it that is read later. Its bytes are computed on demand: a simulation rarely
 * needs them.
 */
export class PlannedWrite implements RecordCopy {
  readonly format: string;
  readonly sequence: number;
  readonly owner: Owner;
  readonly #written: Written;
  readonly #before: Written | null;
  readonly #coding: Coding;

  constructor(
    owner: Owner,
    sequence: number,
    written: Written,
    before: Written | null,
    coding: Coding,
    format: string,
  ) {
    this.format = format;
    this.owner = owner;
    this.sequence = sequence;
    this.#written = written;
    this.#before = before;
    this.#coding = coding;
  }

  get record(): Json {
    return this.#written.record;
  }

  get steps(): readonly Step[] {
    const content = encodeCopy(this.owner, this.sequence, this.record, this.#coding, this.format);
    this.#written.length = content.length;
    return this.#hasPages && content.length <= ROOM_IN_PAGE
      ? overwrite(content, this.sequence)
      : replace(content);
  }

  get text(): string {
    return JSON.stringify(this.record);
  }

  /** Does its copy fit into a page? */
  get isPage(): boolean {
    return this.#isPage(this.#written, this.sequence);
  }

  /** Is each copy in the file a page, as far as is known? */
  get #hasPages(): boolean {
    return this.#before !== null && this.#isPage(this.#before, this.sequence - 1);
  }

  #isPage(written: Written, sequence: number): boolean {
    written.length ??= copyLength(this.owner, sequence, written.record, this.#coding);
    return written.length <= ROOM_IN_PAGE;
  }
}

/** The other copy, which is the newest one, is left as it is. */
function overwrite(content: Uint8Array, sequence: number): readonly Step[] {
  const at = slotOf(sequence) * PAGE;
  return [
    { do: 'write', file: 'record', bytes: seal(content, at / SECTOR), at },
    { do: 'sync', file: 'record' },
  ];
}

function replace(content: Uint8Array): readonly Step[] {
  const half = sealedLength(content.length);
  const bytes = new Uint8Array(2 * half);
  bytes.set(seal(content, 0));
  bytes.set(seal(content, half / SECTOR), half);
  return [
    { do: 'write', file: 'draft', bytes, at: 0 },
    { do: 'sync', file: 'draft' },
    { do: 'rename' },
    { do: 'sync-folder' },
  ];
}
