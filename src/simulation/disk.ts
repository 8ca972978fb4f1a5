import { assertNever, isSame, type Json, type Random } from '../core/index.ts';
import {
  type Owner,
  PAGE,
  type PlannedWrite,
  perform,
  RecordStore,
  type Recovery,
  SECTOR,
} from '../store/index.ts';
import { diskCoding } from './disk-coding.ts';
import { PageCache } from './page-cache.ts';

/** `torn` and `lose-unsynced` show at the next crash, `stall` and `full` at the next save. */
export type DiskMode = 'none' | 'stall' | 'full' | 'torn' | 'lose-unsynced';
/** Damage that changes the disk at once, and shows at the next start: flipped bits, or sectors that read as zeros. */
export type DiskDamage = 'flip' | 'lose-sectors';
export type DiskFault = DiskMode | DiskDamage;

/**
 * What a starting member finds on its disk. `kept-or-lost`: unchanged, but empty if the store refuses it, as an
 * operator would do.
 */
export type DiskFound = 'kept' | 'lost' | 'restored' | 'kept-or-lost';

interface Write {
  readonly planned: PlannedWrite;
  synced: boolean;
}

/** A record that a start may find. */
type Kept = Pick<PlannedWrite, 'sequence' | 'record'>;

/** What a disk holds, as far as it is needed to judge the result of a start. */
interface Contents {
  readonly bytes: Uint8Array | null;
  readonly newest: Kept | null;
  readonly attempts: readonly Kept[];
  readonly isDamaged: boolean;
}

interface Opened {
  readonly found: Recovery;
  /**
   * What the store did wrong: it returned an older record, or one that was never written, or refused without a
   * reason.
   */
  readonly defect: string | null;
}

/**
 * Bytes are computed only when something touches them: a crash during a save, damage, a copy of the disk. Otherwise the
 * record itself stands for them, and a protocol never changes a record that it has saved (the world checks that with
 * `freeze`). Only the last two writes of a file can still be seen.
 */
const IS_LAZY: boolean = true;
const BLANK = new Uint8Array(2 * PAGE);

/**
 * One member's disk, below the store that real members use (`src/store`), which decides what is written where and
 * what a start finds.
 */
export class Disk {
  fault: DiskMode = 'none';
  readonly #owner: Owner;
  readonly #drawn: () => Random;
  #random: Random | null = null;
  /** The store of the running process. */
  #store: RecordStore;
  #files = new PageCache(null);
  /** Writes that are on the disk, but not yet applied to the files. */
  #done: PlannedWrite[] = [];
  /** More was written than is in `#done`. */
  #isStale = false;
  #pending: Write[] = [];
  /**
   * The newest record that was reported as durable, or that a start has found: no later start may find an older one.
   */
  #newest: Kept | null = null;
  /**
   * Newer ones that a crash may have left. They stay possible until a record as new is durable in their place. Example: a loss of power
   * leaves half of record 8, and the start finds 7. A second loss of power, while the next process writes its own record 8, leaves the
   * other half, in which the two are alike: now the first record 8 is whole.
   */
  #attempts: Kept[] = [];
  #isDamaged = false;
  #read: Json = null;
  /** What a restore brings back: the disk at the last backup, or without a backup with its first record. */
  #backup: Contents | null = null;
  #first: Kept | null = null;

  /** What happens to data that is not durable is drawn from its own random stream. */
  constructor(owner: Owner, random: () => Random) {
    this.#owner = owner;
    this.#drawn = random;
    this.#store = new RecordStore(owner, diskCoding);
  }

  /** Writes the record to the page cache. It is durable once `sync` was called for it. */
  write(record: Json): Write {
    const write = { planned: this.#store.plan(record), synced: false };
    this.#pending.push(write);
    return write;
  }

  /** A record replaces earlier ones: once it is durable, older ones need no sync. */
  sync(write: Write): void {
    for (const each of this.#pending.splice(0, this.#pending.indexOf(write) + 1)) {
      each.synced = true;
      this.#perform(each.planned);
    }
  }

  /** Applies a crash. Returns what was lost, for the trace. */
  crash(): 'nothing' | 'unsynced' | 'torn' {
    const unsynced = this.#pending;
    this.#pending = [];
    if (unsynced.length === 0 && this.#files.isDurable) return 'nothing';
    const files = this.#settle();
    this.#attempts.push(...unsynced.map(({ planned }) => planned));
    switch (this.fault) {
      case 'none': // Only the process is gone; the system still has what it wrote.
        for (const { planned } of unsynced)
          for (const step of planned.steps)
            if (step.do === 'write' || step.do === 'rename') perform(step, files);
        return 'nothing';
      case 'stall':
      case 'full':
        return 'unsynced'; // It never received the write.
      case 'lose-unsynced':
        files.losePower(null);
        return 'unsynced';
      case 'torn':
        return this.#tear(files, unsynced[0]?.planned);
      default:
        return assertNever(this.fault);
    }
  }

  /** The store writes one record after the other, so a power failure hits it in the middle of one. */
  #tear(files: PageCache, planned: PlannedWrite | undefined): 'nothing' | 'unsynced' | 'torn' {
    const before = files.read();
    const random = this.#dice();
    const steps = planned?.steps ?? [];
    const taken = random.between(1, steps.length - 1);
    for (const step of steps.slice(0, taken)) perform(step, files);
    const after = files.read();
    files.losePower(random);
    const left = files.read();
    if (isEqual(left, after) && !isEqual(left, before)) return 'nothing';
    return isEqual(left, before) ? 'unsynced' : 'torn';
  }

  /** Changes the content of the disk, whichever process uses it. Returns whether there was anything to change. */
  damage(kind: DiskDamage): boolean {
    const files = this.#settle();
    if (files.read() === null) return false;
    const random = this.#dice();
    files.damage((bytes) => {
      const at = random.below(bytes.length / SECTOR) * SECTOR;
      if (kind === 'flip') for (let n = random.between(1, 3); n > 0; n--) flipBit(bytes, at, random);
      else bytes.fill(0, at, Math.min(at - (at % PAGE) + PAGE, at + SECTOR * random.between(1, 8)));
    });
    this.#isDamaged = true;
    return true;
  }

  /** A process starts: what the store makes of the bytes, and whether that is right. */
  open(): Opened {
    this.#store = new RecordStore(this.#owner, diskCoding);
    const found = this.#openUntouched(this.#store) ?? this.#store.open(this.#settle());
    const defect = this.#defectOf(found);
    if (found.is !== 'refused') {
      this.#newest = found.is === 'record' ? found : null;
      this.#forgetAttemptsUpTo(this.#newest?.sequence ?? 0);
      this.#read = found.is === 'record' ? found.record : null;
    }
    return { found, defect };
  }

  /** The record that the last start has found, or null. No protocol changes what it has read. */
  read(): Json {
    return this.#read;
  }

  /** Would a start be refused? */
  get isRefused(): boolean {
    const store = new RecordStore(this.#owner, diskCoding);
    const found = this.#openUntouched(store) ?? store.open(new PageCache(this.#settle().read()));
    return found.is === 'refused';
  }

  /** What the store finds if only whole writes of one page each can be seen, or null. */
  #openUntouched(store: RecordStore): Recovery | null {
    const [older, newer = older] = this.#done;
    if (older === undefined || newer === undefined || !older.isPage || !newer.isPage) return null;
    if (older === newer && this.#files.read() !== null) return null;
    return store.openWritten(older, newer);
  }

  #defectOf(found: Recovery): string | null {
    const newest = this.#newest;
    switch (found.is) {
      case 'refused':
        return this.#isDamaged ? null : `is refused a disk that is not damaged: ${found.reason}`;
      case 'empty':
        return newest === null ? null : `finds no record, although record ${newest.sequence} was durable`;
      case 'record': {
        const { sequence, record } = found;
        if (newest !== null && sequence < newest.sequence)
          return `finds record ${sequence}, although record ${newest.sequence} was durable`;
        const isFound = (each: Kept): boolean => each.sequence === sequence && isSame(each.record, record);
        const isKnown = (newest !== null && isFound(newest)) || this.#attempts.some(isFound);
        return isKnown ? null : `finds a record ${sequence} that was never written`;
      }
      default:
        return assertNever(found);
    }
  }

  /** A disk on which nothing was ever lost. */
  format(record: Json): void {
    this.sync(this.write(record));
  }

  get isEmpty(): boolean {
    return this.#newest === null;
  }

  /** Remembers the content of the disk. The copy survives the loss of the disk. */
  backUp(): void {
    this.#backup = this.#contents();
  }

  restore(): void {
    const backup = this.#backup;
    const first = this.#first;
    this.erase();
    if (backup !== null) this.#hold(backup);
    else if (first !== null) this.format(first.record);
  }

  /** From now on this disk has the content of the other one. */
  copy(other: Disk): void {
    this.#hold(other.#contents());
  }

  erase(): void {
    this.#store = new RecordStore(this.#owner, diskCoding);
    this.#hold({ bytes: null, newest: null, attempts: [], isDamaged: false });
    this.#pending = [];
  }

  #contents(): Contents {
    const bytes = this.#settle().read();
    return { bytes, newest: this.#newest, attempts: [...this.#attempts], isDamaged: this.#isDamaged };
  }

  #hold({ bytes, newest, attempts, isDamaged }: Contents): void {
    this.#files = new PageCache(bytes);
    this.#done = [];
    this.#isStale = false;
    this.#newest = newest;
    this.#attempts = [...attempts];
    this.#isDamaged = isDamaged;
  }

  #perform(planned: PlannedWrite): void {
    this.#newest = planned;
    this.#forgetAttemptsUpTo(planned.sequence);
    this.#first ??= planned;
    this.#done.push(planned);
    if (!IS_LAZY) this.#settle();
    if (this.#done.length < 3) return;
    this.#done.shift();
    this.#isStale = true;
  }

  #forgetAttemptsUpTo(sequence: number): void {
    if (this.#attempts.length > 0) this.#attempts = this.#attempts.filter((each) => each.sequence > sequence);
  }

  /** The files, byte for byte. */
  #settle(): PageCache {
    // What was in them before the last two writes cannot be seen any more.
    if (this.#isStale) this.#files = new PageCache(BLANK);
    for (const planned of this.#done) for (const step of planned.steps) perform(step, this.#files);
    this.#done = [];
    this.#isStale = false;
    return this.#files;
  }

  #dice(): Random {
    this.#random ??= this.#drawn();
    return this.#random;
  }
}

function flipBit(bytes: Uint8Array, at: number, random: Random): void {
  bytes[at + random.below(SECTOR)]! ^= 1 << random.below(8);
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export type { Write };
