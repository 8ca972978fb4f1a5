import type { Json } from '../core/index.ts';

/** `torn` and `lose-unsynced` show at the next crash; `stall` and `full` show at the next save. */
export type DiskFault = 'none' | 'stall' | 'full' | 'torn' | 'lose-unsynced';

/** How a member that starts finds its disk. */
export type DiskFound = 'kept' | 'lost' | 'restored';

interface Write {
  readonly record: Json;
  synced: boolean;
}

/**
 * One member's disk: it holds the last record, in two slots that are written by turns, so that a torn write
 * never harms the record before it. A crash of the process alone keeps what was written but not yet synced (the
 * kernel has it); the faults say otherwise.
 *
 * Records are kept as they were given and become text only when they are read, since most never are: a protocol never changes
 * what it has handed out (the world checks that with `freeze`).
 */
export class Disk {
  fault: DiskFault = 'none';
  #durable: Json = null;
  #pending: Write[] = [];
  /** What a restore brings back: the record at the last backup, or without a backup the first one that was durable. */
  #backup: Json = null;
  #first: Json = null;

  /** Hands the record to the kernel. It is durable once `sync` has been called for it. */
  write(record: Json): Write {
    const write = { record, synced: false };
    this.#pending.push(write);
    return write;
  }

  /** A record replaces the ones before it: with this one durable, older ones have nothing left to wait for. */
  sync(write: Write): void {
    const done = this.#pending.splice(0, this.#pending.indexOf(write) + 1);
    for (const each of done) each.synced = true;
    if (done.length > 0) this.#keep(write.record);
  }

  /** What the crash leaves behind. Returns what it cost, for the trace. */
  crash(): 'nothing' | 'unsynced' | 'torn' {
    const unsynced = this.#pending;
    this.#pending = [];
    if (unsynced.length === 0) return 'nothing';
    if (this.fault === 'none') {
      this.#keep(unsynced.at(-1)!.record);
      return 'nothing';
    }
    // A stalled or full disk never received the write; a torn one fails its checksum and the other slot is used.
    return this.fault === 'torn' ? 'torn' : 'unsynced';
  }

  /** A disk on which nothing was ever lost. */
  format(record: Json): void {
    this.#keep(record);
  }

  get isEmpty(): boolean {
    return this.#durable === null;
  }

  /** Remembers the durable record. The copy survives the loss of the disk. */
  backUp(): void {
    this.#backup = this.#durable;
  }

  restore(): void {
    this.#durable = this.#backup ?? this.#first;
    this.#pending = [];
  }

  /** Holds from now on what is durable on the other disk. */
  copy(other: Disk): void {
    this.#durable = other.#durable;
  }

  erase(): void {
    this.#durable = null;
    this.#pending = [];
  }

  read(): Json {
    return JSON.parse(JSON.stringify(this.#durable));
  }

  #keep(record: Json): void {
    this.#durable = record;
    this.#first ??= record;
  }
}

export type { Write };
