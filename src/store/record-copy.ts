/**
 * One copy of a record: a header line that says what it is, whose, how new and its checksum, then the record as JSON, then a zero
 * byte. This much is the same in every format that is read.
 */
import { type Json, type MemberId, show } from '../core/index.ts';
import type { Coding } from './coding.ts';
import { isZero } from './sectors.ts';
import { fromUtf8 } from './utf8.ts';

/** Whose record it is. A record of another member is as bad as none: it would make a member keep another's promises. */
export interface Owner {
  readonly cluster: string;
  readonly id: MemberId;
  /** The election, or null for what belongs to the member itself. */
  readonly election: string | null;
  /** What only it understands. */
  readonly protocol: string | null;
}

/**
 * 4: every sector is sealed, so that a write that was cut short is known from damage. 3 had no seals, so that either was refused.
 * 2 left one copy empty after the file was made anew. Both are read, and the next write makes the file anew. 1 had one copy and is
 * older than any release.
 */
export const FORMAT = 'caucus-record/4';
export const READABLE: readonly string[] = [FORMAT, 'caucus-record/3', 'caucus-record/2'];

/** Whose it says it is. */
type Claimed = { readonly [K in keyof Owner]: unknown };

export interface RecordCopy {
  readonly format: string;
  readonly owner: Claimed;
  /** How many records were written before it, and itself. */
  readonly sequence: number;
  readonly record: Json;
  /** The record as it is written. */
  readonly text: string;
}

export function encodeCopy(owner: Owner, sequence: number, record: Json, coding: Coding): Uint8Array {
  const body = coding.toUtf8(JSON.stringify(record));
  const sha256 = checksum(FORMAT, owner, sequence, body, coding);
  return joined(headerOf(owner, sequence, sha256), body, 1, coding);
}

/** How many bytes that takes: every checksum has the same length. */
export function copyLength(owner: Owner, sequence: number, record: Json, coding: Coding): number {
  return coding.utf8Length(`${headerOf(owner, sequence, ANY_CHECKSUM)}\n${JSON.stringify(record)}\0`);
}

const ANY_CHECKSUM = '0'.repeat(64);

function headerOf({ cluster, id, election, protocol }: Owner, sequence: number, sha256: string): string {
  return JSON.stringify({ format: FORMAT, cluster, id, election, protocol, sequence, sha256 });
}

/** What the bytes hold, or why they hold no copy. */
export function decodeCopy(bytes: Uint8Array, coding: Coding): RecordCopy | string {
  const end = bytes.indexOf(LINE_END);
  const stop = bytes.indexOf(0, end);
  const header = parse(fromUtf8(bytes.subarray(0, Math.max(0, end))));
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return 'it has no header';
  const { format, cluster, id, election, protocol, sequence, sha256 } = header as Record<string, unknown>;
  const owner = { cluster, id, election, protocol };
  if (typeof format !== 'string' || !READABLE.includes(format))
    return `expected the format ${FORMAT}, found ${show(format)}`;
  if (stop < 0 || !isZero(bytes.subarray(stop))) return 'something stands behind the record';
  const body = bytes.subarray(end + 1, stop);
  if (sha256 !== checksum(format, owner, sequence, body, coding))
    return 'its checksum does not fit what it holds';
  const text = fromUtf8(body);
  const record = parse(text);
  if (text === null || record === undefined || typeof sequence !== 'number') return 'it is not JSON';
  return { format, owner, sequence, record: record as Json, text };
}

/** The format that a copy says it has, whatever version wrote it; null if it says none. */
export function formatOf(copy: Uint8Array): string | null {
  const start = fromUtf8(copy.subarray(0, copy.indexOf(COMMA))) ?? '';
  return /^\s*\{\s*"format":\s*"(caucus-record\/\d{1,9})"/.exec(start)?.[1] ?? null;
}

/** Over the header's other fields too: a flipped bit there is damage, not another member's record. */
function checksum(
  format: string,
  { cluster, id, election, protocol }: Claimed,
  sequence: unknown,
  body: Uint8Array,
  coding: Coding,
): string {
  const head = JSON.stringify([format, cluster, id, election, protocol, sequence]);
  return coding.sha256(joined(head, body, 0, coding));
}

/** A line of text, bytes, and so many zeros. */
function joined(line: string, body: Uint8Array, zeros: number, coding: Coding): Uint8Array {
  const head = coding.toUtf8(`${line}\n`);
  const bytes = new Uint8Array(head.length + body.length + zeros);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

const LINE_END = 10;
const COMMA = 44;

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
