import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../core/index.ts';
import type { LogEntry, LoggedRecord } from '../store/index.ts';
import type { ElectionStore, Place } from './election-records.ts';
import { electionFile } from './folder-files.ts';
import type { LogFile } from './log-file.ts';
import type { SameParts } from './same-parts.ts';

/** The same for all elections of a data folder. */
export interface LogPlaces {
  readonly folder: string;
  readonly log: LogFile;
  readonly same: SameParts;
  /** The record in the log, or in a file beside it. */
  read(name: string, protocol: string): { readonly record: Json } | null;
}

/**
 * A record is never changed once a protocol has saved it, and shares most of what it holds with those of other
 * elections. Its text would take a kilobyte, for as long as the election is open.
 */
class KeptRecord implements LoggedRecord {
  readonly protocol: string;
  readonly #record: Json;

  constructor(protocol: string, record: Json) {
    this.protocol = protocol;
    this.#record = record;
  }

  get text(): string {
    return JSON.stringify(this.#record);
  }
}

/**
 * The place of one election in the log. A record that an earlier release left in a file of its own is carried over to
 * the log by the next one.
 */
export class LogPlace implements Place {
  readonly #places: LogPlaces;
  readonly #name: string;
  readonly #protocol: string;
  #isFiled = false;

  constructor(places: LogPlaces, name: string, protocol: string) {
    this.#places = places;
    this.#name = name;
    this.#protocol = protocol;
  }

  get soon(): Required<Pick<ElectionStore, 'saveSoon' | 'settle'>> {
    return this;
  }

  read(): { readonly record: Json } | null {
    const { log } = this.#places;
    this.#isFiled = existsSync(this.#file);
    // Thousands of elections have no file, and an error for each takes longer than the look.
    const found = this.#isFiled
      ? this.#places.read(this.#name, this.#protocol)
      : log.read(this.#name, this.#protocol);
    // The process before was killed in between. If the log were lost one day, the older record must not count.
    if (log.protocolOf(this.#name) !== null) this.#carried();
    return found;
  }

  write(record: Json): void {
    this.#places.log.save(this.#entryOf(record));
    this.#carried();
  }

  saveSoon(record: Json, done: (failure: Error | null) => void): void {
    this.#places.log.saveSoon(this.#entryOf(record), (failure) => {
      if (failure === null) this.#carried();
      done(failure);
    });
  }

  settle(): void {
    this.#places.log.settle();
  }

  get #file(): string {
    return path.join(this.#places.folder, electionFile(this.#name));
  }

  #entryOf(record: Json): LogEntry {
    const protocol = this.#protocol;
    const text = JSON.stringify(record);
    const kept = new KeptRecord(protocol, this.#places.same.in(record, text.length));
    return { election: this.#name, saved: { protocol, text, kept } };
  }

  #carried(): void {
    if (this.#isFiled) rmSync(this.#file, { force: true });
    this.#isFiled = false;
  }
}
