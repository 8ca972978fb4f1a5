/**
 * One copy of a record: a header line with the format, the owner, the sequence number and the checksum, then the
 * record as JSON, then a zero byte. This much is the same in every format that is read.
 */
import { type Json, type MemberId, show } from '../core/index.ts';
import type { Coding } from './coding.ts';
import { isZero } from './sectors.ts';
import { fromUtf8 } from './utf8.ts';

/** The owner of a record. A record of another member must not be used: a member would keep another's promises. */
export interface Owner {
  readonly cluster: string;
  readonly id: MemberId;
  /** The election, or null for the member's own record. */
  readonly election: string | null;
  /** The protocol that wrote it. */
  readonly protocol: string | null;
}

/**
 * 4: every sector is sealed, which distinguishes a write that was cut short from damage. 3 had no seals, so both were
 * refused. 2 left one copy empty after the file was rewritten. Both are read, and the next write rewrites the file. 1
 * had one copy and is older than any release.
 */
export const FORMAT = 'caucus-record/4';
/**
 * The same for the member's own record once its folder has a log: releases that do not know the log do not read 5, and
 * so refuse the folder. They would take the elections of the log for elections without a record.
 */
export const BESIDE_LOG = 'caucus-record/5';
export const SEALED: readonly string[] = [BESIDE_LOG, FORMAT];
export const READABLE: readonly string[] = [...SEALED, 'caucus-record/3', 'caucus-record/2'];

/** The owner that the header names. */
type Claimed = { readonly [K in keyof Owner]: unknown };

export interface RecordCopy {
  readonly format: string;
  readonly owner: Claimed;
  /** How many records were written up to this one. */
  readonly sequence: number;
  readonly record: Json;
  /** The record as it is written. */
  readonly text: string;
}

export function encodeCopy(
  owner: Owner,
  sequence: number,
  record: Json,
  coding: Coding,
  format: string,
): Uint8Array {
  const body = coding.toUtf8(JSON.stringify(record));
  const sha256 = checksum(format, owner, sequence, body, coding);
  return joined(headerOf(owner, sequence, sha256, format), body, 1, coding);
}

/** The number of bytes of a copy: every checksum has the same length, and so has every format that is written. */
export function copyLength(owner: Owner, sequence: number, record: Json, coding: Coding): number {
  return coding.utf8Length(`${headerOf(owner, sequence, ANY_CHECKSUM, FORMAT)}\n${JSON.stringify(record)}\0`);
}

const ANY_CHECKSUM = '0'.repeat(64);

function headerOf(
  { cluster, id, election, protocol }: Owner,
  sequence: number,
  sha256: string,
  format: string,
): string {
  return JSON.stringify({ format, cluster, id, election, protocol, sequence, sha256 });
}

/** The copy in these bytes, or the reason why there is none. */
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

/** The format that a copy names, whatever version wrote it; null if it names none. */
export function formatOf(copy: Uint8Array): string | null {
  const start = fromUtf8(copy.subarray(0, copy.indexOf(COMMA))) ?? '';
  return /^\s*\{\s*"format":\s*"(caucus-record\/\d{1,9})"/.exec(start)?.[1] ?? null;
}

/** Covers the other fields of the header too: a flipped bit there is damage, not another member's record. */
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

/** A line of text, bytes, and this many zeros. */
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
