/**
 * Saves records, those of many elections with few syncs. Modes:
 *   idle      nothing waits                            → gathering (a record is to be saved)
 *   gathering the turn is not over                     → writing (it is over)
 *   writing   one batch is being made durable; records
 *             that come meanwhile wait                 → writing (the next batch) | idle
 *
 * Every record is answered once, in the order in which they came: after its batch is durable, or with the error of the
 * batch. A record that was saved again before its batch began is not written; its answer comes with that of the newer
 * one.
 */
import type { LogEntry } from './log-batch.ts';
import { type FileName, perform, type RecordFolder, type Step } from './record-store.ts';

/** What a group commit needs from a disk. The calls with a callback do not block; the others throw if they fail. */
export interface LogFolder extends RecordFolder {
  /** Called before a file is written, and before one is renamed. Throws if the folder is not ours any more. */
  assertOurs(): void;
  /** Calls back when everything that was written to this file is durable, later and never at once. */
  syncSoon(file: FileName, done: Done): void;
  syncFolderSoon(done: Done): void;
  /** A batch failed: what is open is closed, and a draft is removed. */
  abandon(): void;
}

/** Null, or why it failed. */
export type Done = (failure: unknown) => void;

/** What makes batches of records: a log (`RecordLog`), or a file that holds one record. */
export interface Batches<E> {
  /** One at a time: then `durable` or `failed` is called. */
  plan(entries: readonly E[]): { readonly steps: readonly Step[] };
  durable(): void;
  failed(): void;
}

interface Waiting<E> {
  readonly entry: E;
  readonly done: Done;
}

/** A batch that is being made durable. */
interface Flight<E> {
  readonly steps: readonly Step[];
  readonly waiting: readonly Waiting<E>[];
}

export class GroupCommit<E extends Pick<LogEntry, 'election'> = LogEntry> {
  readonly #log: Batches<E>;
  readonly #folder: LogFolder;
  readonly #defer: (work: () => void) => void;
  #waiting: Waiting<E>[] = [];
  #flight: Flight<E> | null = null;
  #isDeferred = false;
  #isClosed = false;

  /** `defer` calls back at the end of the turn, and never at once. */
  constructor(log: Batches<E>, folder: LogFolder, defer: (work: () => void) => void) {
    this.#log = log;
    this.#folder = folder;
    this.#defer = defer;
  }

  /** Calls back when the record is durable, or with the reason why it may not be. */
  save(entry: E, done: Done): void {
    if (this.#isClosed) return;
    this.#waiting.push({ entry, done });
    this.#deferBatch();
  }

  /** Everything that waits is durable, or was answered with the error, when this returns. */
  saveNow(): void {
    const flight = this.#flight;
    // The batch that is on its way is written once more, into a new file: an error that the sync on its way is told is
    // not told to a second one.
    if (flight !== null) this.#log.failed();
    this.#flight = null;
    const waiting = [...(flight?.waiting ?? []), ...this.#waiting];
    this.#waiting = [];
    if (waiting.length === 0 || this.#isClosed) return;
    const { steps } = this.#log.plan(newestOf(waiting));
    try {
      for (const step of steps) {
        this.#check(step);
        perform(step, this.#folder);
      }
    } catch (failure) {
      return this.#fail(waiting, failure);
    }
    this.#land(waiting);
  }

  /** After this nothing is written and nothing is answered: another process may own the folder. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#flight = null;
  }

  #deferBatch(): void {
    if (this.#isDeferred || this.#flight !== null || this.#waiting.length === 0) return;
    this.#isDeferred = true;
    this.#defer(() => {
      this.#isDeferred = false;
      if (!this.#isClosed && this.#flight === null && this.#waiting.length > 0) this.#begin();
    });
  }

  #begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#flight = { steps: this.#log.plan(newestOf(waiting)).steps, waiting };
    this.#take(this.#flight, 0);
  }

  /** Takes the steps from this one on, up to the next sync. */
  #take(flight: Flight<E>, from: number): void {
    let isSyncing: boolean;
    try {
      isSyncing = this.#reachSync(flight, from);
    } catch (failure) {
      return this.#fail(flight.waiting, failure);
    }
    if (isSyncing) return;
    this.#flight = null;
    this.#land(flight.waiting);
  }

  #reachSync(flight: Flight<E>, from: number): boolean {
    for (const [i, step] of flight.steps.entries()) {
      if (i < from) continue;
      this.#check(step);
      const next: Done = (failure) => this.#resume(flight, i + 1, failure);
      if (step.do === 'sync') this.#folder.syncSoon(step.file, next);
      else if (step.do === 'sync-folder') this.#folder.syncFolderSoon(next);
      else {
        perform(step, this.#folder);
        continue;
      }
      return true;
    }
    return false;
  }

  /** A sync has ended. If `saveNow` has overtaken its batch, or the log was closed, there is nothing to do. */
  #resume(flight: Flight<E>, from: number, failure: unknown): void {
    if (this.#flight !== flight) return;
    if (failure === null) this.#take(flight, from);
    else this.#fail(flight.waiting, failure);
  }

  #check({ do: what }: Step): void {
    if (what === 'write' || what === 'rename') this.#folder.assertOurs();
  }

  #land(waiting: readonly Waiting<E>[]): void {
    this.#log.durable();
    this.#answer(waiting, null);
  }

  #fail(waiting: readonly Waiting<E>[], failure: unknown): void {
    this.#flight = null;
    this.#log.failed();
    this.#folder.abandon();
    this.#answer(waiting, failure);
  }

  #answer(waiting: readonly Waiting<E>[], failure: unknown): void {
    this.#deferBatch();
    for (const { done } of waiting) if (!this.#isClosed) done(failure);
  }
}

/** Of each election, the record that was saved last. */
function newestOf<E extends Pick<LogEntry, 'election'>>(waiting: readonly Waiting<E>[]): E[] {
  const entries = new Map<string, E>();
  for (const { entry } of waiting) entries.set(entry.election, entry);
  return [...entries.values()];
}
