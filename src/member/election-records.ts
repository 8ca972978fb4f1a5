import type { Json } from '../core/index.ts';
import type { ElectionList } from './election-list.ts';

/** Where the record of one election is kept. */
export interface ElectionStore {
  /**
   * What the protocol is started with: the record that it saved last, or null if there is none. An election that was
   * certainly never opened on this disk may start with what `inherit` derives from the newest record of the main
   * election.
   */
  load(inherit: (main: Json) => Json | null): Json;
  /** Returns when the record is durable; throws if it may not be. */
  save(record: Json): void;
  /**
   * Calls back when the record is durable, with null, or with the error if it may not be. Records of several elections
   * that are saved at about the same time become durable together. Omitted: `save` is the only way.
   */
  saveSoon?(record: Json, done: (failure: Error | null) => void): void;
  /** What was given to `saveSoon` is durable, or was answered with the error, when this returns. */
  settle?(): void;
}

/** Where the record of one election is on the disk. */
export interface Place {
  /** Null if there never was one. Throws if the record cannot be trusted. */
  read(): { readonly record: Json } | null;
  /** Returns when the record is durable; throws if it may not be. */
  write(record: Json): void;
  /** The same without blocking. Omitted: there is no other way than `write`. */
  readonly soon?: Soon;
}

type Soon = Required<Pick<ElectionStore, 'saveSoon' | 'settle'>>;

/**
 * The records of all elections on one disk. The record of the main election names the disk (its field `disk`). An
 * election that starts later may start on that same disk if the disk certainly never took part in it.
 */
export class Records {
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

  of(name: string, place: Place): ElectionStore {
    return place.soon === undefined ? new RecordsOf(this, name, place) : new RecordsSoon(this, name, place);
  }

  /** @internal */
  load(name: string, place: Place, inherit: (main: Json) => Json | null): Json {
    const isMain = name === this.#mainElection;
    const found = place.read();
    if (isMain) this.#main = found;
    const isNew = !isMain && this.#enlist(name);
    if (found !== null) {
      this.#list.settle();
      return found.record;
    }
    return isNew && this.#main !== null ? inherit(this.#main.record) : null;
  }

  /** @internal */
  save(name: string, place: Place, record: Json): void {
    const isMain = name === this.#mainElection;
    if (isMain) this.#beforeMain(record);
    place.write(record);
    if (isMain) this.#main = { record };
  }

  /** @internal */
  saveSoon(name: string, soon: Soon, record: Json, done: (failure: Error | null) => void): void {
    if (name !== this.#mainElection) return soon.saveSoon(record, done);
    try {
      this.#beforeMain(record);
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)));
    }
    soon.saveSoon(record, (failure) => {
      if (failure === null) this.#main = { record };
      done(failure);
    });
  }

  /**
   * Is it certain that this disk never took part in the election? If so, the election is listed before it has a record,
   * so that it never counts as new again.
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

/** Those of one election. A class, since a member may have thousands: they share its functions. */
class RecordsOf implements ElectionStore {
  protected readonly all: Records;
  protected readonly name: string;
  protected readonly place: Place;

  constructor(all: Records, name: string, place: Place) {
    this.all = all;
    this.name = name;
    this.place = place;
  }

  load(inherit: (main: Json) => Json | null): Json {
    return this.all.load(this.name, this.place, inherit);
  }

  save(record: Json): void {
    this.all.save(this.name, this.place, record);
  }
}

/** The same where a record can be saved without blocking. */
class RecordsSoon extends RecordsOf {
  saveSoon(record: Json, done: (failure: Error | null) => void): void {
    this.all.saveSoon(this.name, this.place.soon!, record, done);
  }

  settle(): void {
    this.place.soon!.settle();
  }
}

/** The disk that a record belongs to, if its protocol has disks. */
function diskOf(found: { readonly record: Json } | null): string | null {
  const record = found?.record;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return null;
  const { disk } = record as { readonly [field: string]: Json };
  return typeof disk === 'string' ? disk : null;
}
