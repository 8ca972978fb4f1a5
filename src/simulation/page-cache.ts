import type { Random } from '../core/index.ts';
import { type FileName, PAGE, type RecordFolder, SECTOR } from '../store/index.ts';

/** A file as processes see it, and as it is on the disk. Bytes are never changed in place. */
interface File {
  seen: Uint8Array;
  durable: Uint8Array;
}

type Names = { readonly [name in FileName]?: File };

const NOTHING = new Uint8Array();

/** The files of one simulated disk, and the page cache that holds writes until they are synced. */
export class PageCache implements RecordFolder {
  #names: Names;
  #durableNames: Names;

  /** Holds this file, durable, or none. */
  constructor(record: Uint8Array | null) {
    this.#names = record === null ? {} : { record: { seen: record, durable: record } };
    this.#durableNames = this.#names;
  }

  read(): Uint8Array | null {
    return this.#names.record?.seen ?? null;
  }

  write(file: FileName, bytes: Uint8Array, at: number): void {
    if (file === 'draft') this.#names = { ...this.#names, draft: { seen: NOTHING, durable: NOTHING } };
    const found = this.#named(file);
    const seen = new Uint8Array(Math.max(found.seen.length, at + bytes.length));
    seen.set(found.seen);
    seen.set(bytes, at);
    found.seen = seen;
  }

  sync(file: FileName): void {
    const found = this.#named(file);
    found.durable = found.seen;
  }

  rename(): void {
    this.#names = { record: this.#named('draft') };
  }

  syncFolder(): void {
    this.#durableNames = this.#names;
  }

  /** Would a power failure change nothing? */
  get isDurable(): boolean {
    const { record } = this.#names;
    return record === this.#durableNames.record && record?.seen === record?.durable;
  }

  /**
   * A power failure: of the unsynced data, each page is on the disk, or is not, or in part, sector by sector, as is
   * drawn; without a random source, none of it is.
   */
  losePower(random: Random | null): void {
    const names =
      this.#names !== this.#durableNames && random?.chance(0.5) ? this.#names : this.#durableNames;
    const { record } = names;
    const left = record === undefined ? null : random === null ? record.durable : mixed(record, random);
    this.#names = left === null ? {} : { record: { seen: left, durable: left } };
    this.#durableNames = this.#names;
  }

  /** Damages the content of the disk. */
  damage(change: (bytes: Uint8Array) => void): void {
    const { record } = this.#names;
    if (record === undefined) return;
    const bytes = record.seen.slice();
    change(bytes);
    record.seen = bytes;
    record.durable = bytes;
  }

  #named(file: FileName): File {
    const found = this.#names[file];
    if (found === undefined) throw new Error(`there is no file ${file}`);
    return found;
  }
}

function mixed({ seen, durable }: File, random: Random): Uint8Array {
  const bytes = new Uint8Array(seen.length);
  bytes.set(durable.subarray(0, seen.length));
  for (let page = 0; page < seen.length; page += PAGE) {
    const changed = changedSectors(seen, bytes, page);
    for (const at of drawKept(changed, random)) bytes.set(seen.subarray(at, at + SECTOR), at);
  }
  return bytes;
}

/** Mostly some of them: rare cases of real disks have to be frequent here. */
function drawKept(changed: readonly number[], random: Random): readonly number[] {
  if (changed.length === 0) return [];
  const fate = random.fraction();
  if (changed.length === 1 || fate < 0.3) return fate < (changed.length === 1 ? 0.5 : 0.15) ? changed : [];
  const sure = random.below(changed.length);
  const lost = (sure + random.between(1, changed.length - 1)) % changed.length;
  return changed.filter((_, i) => i === sure || (i !== lost && random.chance(0.5)));
}

function changedSectors(a: Uint8Array, b: Uint8Array, page: number): number[] {
  const changed: number[] = [];
  for (let at = page; at < page + PAGE; at += SECTOR) {
    for (let i = at; i < at + SECTOR; i++) {
      if (a[i] === b[i]) continue;
      changed.push(at);
      break;
    }
  }
  return changed;
}
