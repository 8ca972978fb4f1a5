/**
 * Which record is valid, given the bytes found at a start; or why to refuse them.
 *
 * Going back to an older record means forgetting a vote. So there is only one case in which a copy is skipped for the
 * other: its write was certainly cut short, and so was never reported as durable. Every sector of such a copy has a
 * valid seal, but together they are no whole copy. A copy that was damaged later, on which the member may have acted,
 * has a sector with a broken seal, and the disk is refused: to the other members it is a lost disk, which they know
 * how to replace.
 *
 * What cannot be detected is a disk that reports a write as durable and then loses it: the file looks like an older
 * state of itself.
 */
import { type Json, show } from '../core/index.ts';
import type { Coding } from './coding.ts';
import {
  decodeCopy,
  FORMAT,
  formatOf,
  type Owner,
  READABLE,
  type RecordCopy,
  SEALED,
} from './record-copy.ts';
import { isZero, PAGE, SECTOR, unseal } from './sectors.ts';

export type Recovery =
  | { readonly is: 'empty' }
  | {
      readonly is: 'record';
      readonly record: Json;
      readonly sequence: number;
      /** Each copy is a page of the present format: the older one can be overwritten. */
      readonly hasPages: boolean;
    }
  | Refusal;

export interface Refusal {
  readonly is: 'refused';
  /** It is damaged, or belongs to another member, or another version wrote it. */
  readonly why: 'corrupt' | 'foreign' | 'version';
  /** What is wrong with it. */
  readonly found: string;
  /** One line: what is wrong and what to do. */
  readonly reason: string;
}

/** `written`: the format in which the next record will be written. */
export function recover(
  bytes: Uint8Array | null,
  owner: Owner,
  coding: Coding,
  written: string = FORMAT,
): Recovery {
  if (bytes === null) return { is: 'empty' };
  const half = Math.floor(bytes.length / 2);
  const halves = [bytes.subarray(0, half), bytes.subarray(half)] as const;
  const formats = [formatOf(bytes), formatOf(halves[1])];
  const format = formats[0] ?? formats[1] ?? null;
  // If the copies disagree, the number itself is damaged.
  const isCertain = formats[0] === formats[1] || formats[1] === null;
  if (format !== null && isCertain && !READABLE.includes(format)) return refuseVersion(format, READABLE);
  if (half === 0 || bytes.length % (2 * PAGE) !== 0) return refuseDamage(`it has ${bytes.length} bytes`);
  if (format === null) return refuseDamage('it has no header');
  if (halves.some(isZero) && format !== 'caucus-record/2')
    return refuseDamage('one of its two copies is empty');
  return SEALED.includes(format)
    ? recoverSealed(halves, owner, coding, format === written)
    : recoverOlder(halves, owner, coding);
}

type Halves = readonly [Uint8Array, Uint8Array];

function recoverSealed(halves: Halves, owner: Owner, coding: Coding, isPresent: boolean): Recovery {
  const copies: (RecordCopy | string)[] = [];
  for (const [which, half] of halves.entries()) {
    const content = unseal(half, (which * half.length) / SECTOR);
    if (typeof content === 'number')
      return refuseDamage(`sector ${content} of copy ${which} was changed since it was written`);
    copies.push(decodeCopy(content, coding));
  }
  const recovery = recoverCopies(copies, halves[0].length === PAGE, owner);
  // A file never holds copies of two formats: another release would pass over the one that it does not know.
  return recovery.is === 'record' && !isPresent ? { ...recovery, hasPages: false } : recovery;
}

/** Which of the two copies is valid. A text says why a copy is not whole. */
export function recoverCopies(
  copies: readonly (RecordCopy | string)[],
  hasPages: boolean,
  owner: Owner,
): Recovery {
  const whole = copies.filter((copy) => typeof copy !== 'string');
  const newest = newestOf(whole);
  if (newest === undefined) return refuseDamage('neither of its two copies was written to the end');
  const foreign = whole.map((copy) => refuseForeign(copy, owner)).find((refusal) => refusal !== null);
  if (foreign !== undefined) return foreign;
  // Larger records are never overwritten, so none of their copies can have been cut short.
  if (whole.length < 2 && !hasPages) return refuseDamage('one of its two copies is not whole');
  const misplaced = findMisplaced(copies, newest);
  if (misplaced !== null) return refuseDamage(misplaced);
  return { is: 'record', record: newest.record, sequence: newest.sequence, hasPages };
}

/** Valid are copies with consecutive numbers, each in its place, or twice the same: nothing else is ever written. */
function findMisplaced(copies: readonly (RecordCopy | string)[], newest: RecordCopy): string | null {
  const other = copies[1 - copies.indexOf(newest)]!;
  if (typeof other !== 'string') {
    if (other.sequence === newest.sequence)
      return other.text === newest.text ? null : 'its two copies have the same number and differ';
    if (other.sequence !== newest.sequence - 1) return 'its two copies do not follow each other';
  }
  return copies[slotOf(newest.sequence)] === newest ? null : 'its newest copy is in the wrong place';
}

/**
 * The half of the file that a record is written to, if it does not rewrite the file: never that of the record before
 * it.
 */
export function slotOf(sequence: number): number {
  return sequence % 2;
}

/**
 * Formats 2 and 3 have no seals: a copy that was cut short looks like a damaged one, so neither is ever skipped.
 * Format 2 left one half empty after the file was rewritten.
 */
function recoverOlder(halves: Halves, owner: Owner, coding: Coding): Recovery {
  const copies = halves.filter((half) => !isZero(half)).map((half) => decodeCopy(half, coding));
  const whole = copies.filter((copy) => typeof copy !== 'string');
  const broken = copies.find((copy) => typeof copy === 'string');
  if (broken !== undefined) return refuseDamage(broken);
  const foreign = whole.map((copy) => refuseForeign(copy, owner)).find((refusal) => refusal !== null);
  if (foreign !== undefined) return foreign;
  const { record, sequence } = newestOf(whole)!;
  return { is: 'record', record, sequence, hasPages: false };
}

function newestOf(copies: readonly RecordCopy[]): RecordCopy | undefined {
  return copies.reduce<RecordCopy | undefined>(
    (newest, each) => (newest === undefined || each.sequence > newest.sequence ? each : newest),
    undefined,
  );
}

/**
 * An older or newer version of Caucus wrote it: that is no damage, and moving the folder away is not the first thing
 * to try.
 */
export function refuseVersion(format: string, readable: readonly string[]): Refusal {
  const isOlder = versionIn(format) < versionIn(readable[0]!);
  const found =
    `was written by ${isOlder ? 'an older' : 'a newer'} version of Caucus (its format is ${format}; ` +
    `this version reads ${readable.join(', ')})`;
  const reason =
    `${found}; run the version that wrote it, or, if a majority of the other ` +
    'members runs, move this data folder away: the member then begins with an empty disk, and the others give it a new seat';
  return { is: 'refused', why: 'version', found, reason };
}

function versionIn(format: string): number {
  return Number(format.slice(format.indexOf('/') + 1));
}

function refuseForeign({ owner: named }: RecordCopy, owner: Owner): Refusal | null {
  return refuseForeignTo(named, owner, ['cluster', 'id', 'election', 'protocol']);
}

/** Refuses what names another owner in one of these fields. */
export function refuseForeignTo<Field extends string>(
  named: Readonly<Record<Field, unknown>>,
  owner: Readonly<Record<Field, unknown>>,
  fields: readonly Field[],
): Refusal | null {
  for (const field of fields) {
    if (named[field] === owner[field]) continue;
    const found = `belongs to ${field} ${show(named[field])}, not to ${show(owner[field])}`;
    return {
      is: 'refused',
      why: 'foreign',
      found,
      reason: `${found}; give this member a data folder of its own`,
    };
  }
  return null;
}

export function refuseDamage(what: string): Refusal {
  const found = `torn or damaged (${what})`;
  const reason =
    `${found}; move the whole data folder away and start again: ` +
    'the member then begins with an empty disk, and the others give it a new seat';
  return { is: 'refused', why: 'corrupt', found, reason };
}
