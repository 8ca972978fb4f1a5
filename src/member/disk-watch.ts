/**
 * Proves, while this member leads, that its disk still takes writes. A leader at rest saves nothing: without this it
 * would lead for ever on a disk that is dead, and fail its successors when they need its vote.
 *
 * A proof is a small write and an fdatasync, without blocking the event loop, and a look whether the folder is still the
 * one that was opened: files that were deleted still take writes. One at a time. Modes:
 *   idle     this member leads nothing                    → proving (it leads)
 *   proving  a proof is made, or the next one is awaited   → idle | failed (a proof failed, or takes too long)
 *   failed   the disk is tried until it answers            → proving | idle
 */
import { close, fdatasync, open, write } from 'node:fs';
import path from 'node:path';
import { CaucusError } from '../election/index.ts';

/** Leases below this would need more writes than they are worth, and disks take some hundred milliseconds now and then. */
const SHORTEST_BOUND_MS = 1000;
/** For protocols without leases. */
const USUAL_BOUND_MS = 1500;
/** The delay after a failed proof. */
const RETRY_MS = 1000;
/** A proof that takes long is looked at so many times. */
const LOOKS = 4;

export interface DiskWatchPorts {
  /** The data folder. */
  readonly folder: string;
  /** The lease of its leaderships, or null. */
  leaseMs(): number | null;
  /** Throws CaucusError if the folder was deleted, or another process has taken it over. */
  assertOurs(): void;
  /** Does this member lead anything? */
  leads(): boolean;
  /** The disk does not take writes, for this reason; it must not be used until `recovered`. */
  failed(problem: string): void;
  recovered(): void;
}

export class DiskWatch {
  /** Why the disk counts as dead, or null. */
  problem: string | null = null;

  readonly #ports: DiskWatchPorts;
  readonly #file: string;
  #handle: number | null = null;
  #isProving = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #proofs = 0;

  constructor(ports: DiskWatchPorts) {
    this.#ports = ports;
    this.#file = path.join(ports.folder, 'proof');
  }

  /** From the moment when the disk stops answering, it takes this long at most until `failed`. */
  get #boundMs(): number {
    return Math.max(SHORTEST_BOUND_MS, this.#ports.leaseMs() ?? USUAL_BOUND_MS);
  }

  /** To be called whenever this member may have begun to lead. `leads`: does it, if that is known? */
  look(leads?: boolean): void {
    if (this.#isClosed || this.#isProving || this.#timer !== undefined) return;
    if (leads ?? this.#ports.leads()) void this.#prove();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (!this.#isProving) this.#closeFile();
  }

  /** Half of the bound passes between the beginnings of two proofs, and half of it is the most that one may take. */
  async #prove(): Promise<void> {
    const startedMs = performance.now();
    this.#isProving = true;
    const limitMs = this.#boundMs / 2;
    const stopLooking = this.#limit(limitMs);
    let problem: string | null = null;
    try {
      await this.#write();
      this.#ports.assertOurs();
    } catch (error) {
      problem = wordsOf(error, this.#file);
    }
    stopLooking();
    this.#isProving = false;
    if (this.#isClosed) return this.#closeFile();
    if (problem !== null) this.#onFailure(problem);
    else this.#onSuccess();
    const restMs = problem === null ? startedMs + limitMs - performance.now() : RETRY_MS;
    this.#timer = setTimeout(() => this.#next(), Math.max(0, restMs));
    this.#timer.unref();
  }

  #next(): void {
    this.#timer = undefined;
    if (this.problem === null) this.look();
    else void this.#prove();
  }

  /**
   * Calls `failed` if the proof takes too long. An event loop that is blocked hears of the end of a proof late, so it is
   * looked at several times, and each look counts as the time for which it was set.
   */
  #limit(limitMs: number): () => void {
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      if (looks < LOOKS) return;
      clearInterval(timer);
      if (!this.#isClosed) this.#onFailure(`${this.#file}: a write did not end within ${limitMs} ms`);
    }, limitMs / LOOKS);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #write(): Promise<void> {
    this.#handle ??= await asked<number>((done) => open(this.#file, 'w', 0o600, done));
    const handle = this.#handle;
    this.#proofs += 1;
    const bytes = Buffer.from(`${String(this.#proofs).padStart(15)}\n`);
    try {
      await asked((done) => write(handle, bytes, 0, bytes.length, 0, done));
      await asked((done) => fdatasync(handle, done));
    } catch (error) {
      // After a failed fdatasync the kernel may have dropped what was to be written: the next proof begins anew.
      this.#closeFile();
      throw error;
    }
  }

  #onFailure(problem: string): void {
    if (this.problem !== null) return;
    this.problem = problem;
    this.#ports.failed(problem);
  }

  #onSuccess(): void {
    if (this.problem === null) return;
    this.problem = null;
    this.#ports.recovered();
  }

  #closeFile(): void {
    const handle = this.#handle;
    this.#handle = null;
    if (handle !== null) close(handle, () => {});
  }
}

function wordsOf(error: unknown, file: string): string {
  if (error instanceof CaucusError) return error.message;
  return `${file}: cannot be written: ${error instanceof Error ? error.message : error}`;
}

function asked<T>(ask: (done: (error: Error | null, value?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, value) => (error === null || error === undefined ? resolve(value as T) : reject(error)));
  });
}
