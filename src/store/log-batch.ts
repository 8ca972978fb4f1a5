/**
 * One batch of a log: the records that were saved together, in as many pages as they take. A header line with the
 * format, the owner, the number of the batch and the checksum, then the records as JSON, then zeros.
 */
import { asObject, type MemberId } from '../core/index.ts';
import type { Coding } from './coding.ts';
import { isZero, ROOM_IN_PAGE } from './sectors.ts';
import { fromUtf8 } from './utf8.ts';

export const LOG_FORMAT = 'caucus-log/1';

/** The member that a log belongs to. */
export interface LogOwner {
  readonly cluster: string;
  readonly id: MemberId;
}

/** The record of one election, as JSON, and the protocol that wrote it. */
export interface LoggedRecord {
  readonly protocol: string;
  readonly text: string;
  /** What is kept of it once it is durable, with the same content in less memory. Omitted: itself. */
  readonly kept?: LoggedRecord;
}

/** What is to be saved. */
export interface LogEntry {
  readonly election: string;
  /** Null: the log keeps nothing of this election any more. */
  readonly saved: LoggedRecord | null;
}

/** Which batch it is, and of which file. */
export interface BatchPlace {
  /** Batches of one file are numbered one after the other. */
  readonly batch: number;
  /** How many bytes the whole file has: a file that was cut off is recognised. */
  readonly size: number;
}

export interface Batch extends BatchPlace {
  readonly owner: { readonly cluster: unknown; readonly id: unknown };
  readonly entries: readonly LogEntry[];
  /** How many pages it takes. */
  readonly pages: number;
}

export function encodeBatch(
  owner: LogOwner,
  place: BatchPlace,
  entries: Iterable<LogEntry>,
  coding: Coding,
): Uint8Array {
  const body = coding.toUtf8(bodyOf(entries));
  const head = coding.toUtf8(headerOf(owner, place, body, coding));
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

/** At least the number of bytes of a batch with these entries, whatever its place. */
export function mostBytes(owner: LogOwner, entries: Iterable<LogEntry>, coding: Coding): number {
  const { MAX_SAFE_INTEGER: most } = Number;
  const place = { batch: most, size: most };
  const head = headerOf(owner, place, new Uint8Array(), coding);
  return coding.utf8Length(head) + String(most).length + coding.utf8Length(bodyOf(entries));
}

/** The batch that begins with this page of a file without its seals, or null if there is no whole one. */
export function decodeBatch(content: Uint8Array, page: number, coding: Coding): Batch | null {
  const from = page * ROOM_IN_PAGE;
  if (content[from] !== BRACE) return null;
  const lineEnd = content.indexOf(LINE_END, from);
  const header = headerIn(fromUtf8(content.subarray(from, Math.max(from, lineEnd))));
  if (header === null) return null;
  const { cluster, id, batch, size, bytes, sha256 } = header;
  const end = lineEnd + 1 + bytes;
  const pages = pagesOf(end - from);
  const bodyBytes = content.subarray(lineEnd + 1, end);
  if (bodyBytes.length !== bytes || !isZero(content.subarray(end, from + pages * ROOM_IN_PAGE))) return null;
  if (sha256 !== checksum({ cluster, id }, { batch, size }, bodyBytes, coding)) return null;
  const text = fromUtf8(bodyBytes);
  return text === null ? null : { owner: { cluster, id }, batch, size, pages, entries: entriesIn(text) };
}

export function pagesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / ROOM_IN_PAGE));
}

/** The format that a file names, whatever version wrote it; null if it names none. */
export function logFormatOf(bytes: Uint8Array): string | null {
  const start = fromUtf8(bytes.subarray(0, 64).filter((byte) => byte < 128)) ?? '';
  return /^\{"format":"(caucus-log\/\d{1,9})"/.exec(start)?.[1] ?? null;
}

/** A record is kept as the text that it was written with. */
function bodyOf(entries: Iterable<LogEntry>): string {
  const lines: string[] = [];
  for (const { election, saved } of entries) {
    const name = JSON.stringify(election);
    lines.push(saved === null ? `[${name}]` : `[${name},${JSON.stringify(saved.protocol)},${saved.text}]`);
  }
  return `[${lines.join(',')}]`;
}

function entriesIn(body: string): LogEntry[] {
  const found = JSON.parse(body) as [election: string, protocol?: string, record?: unknown][];
  return found.map(([election, protocol, record]) => ({
    election,
    saved: protocol === undefined ? null : { protocol, text: JSON.stringify(record) },
  }));
}

function headerOf(owner: LogOwner, place: BatchPlace, body: Uint8Array, coding: Coding): string {
  const { cluster, id } = owner;
  const { batch, size } = place;
  const sha256 = checksum(owner, place, body, coding);
  return `${JSON.stringify({ format: LOG_FORMAT, cluster, id, batch, size, bytes: body.length, sha256 })}\n`;
}

interface Header extends BatchPlace {
  readonly cluster: unknown;
  readonly id: unknown;
  readonly bytes: number;
  readonly sha256: unknown;
}

function headerIn(line: string | null): Header | null {
  try {
    const { format, cluster, id, batch, size, bytes, sha256 } = asObject(JSON.parse(line ?? ''), 'header');
    if (format !== LOG_FORMAT || !isCount(batch) || !isCount(size) || !isCount(bytes)) return null;
    return { cluster, id, batch, size, bytes, sha256 };
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Covers the header too, so that a batch is never taken for that of another member or place. */
function checksum(
  { cluster, id }: Batch['owner'],
  { batch, size }: BatchPlace,
  body: Uint8Array,
  coding: Coding,
): string {
  const head = coding.toUtf8(`${JSON.stringify([LOG_FORMAT, cluster, id, batch, size])}\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return coding.sha256(bytes);
}

const BRACE = 123;
const LINE_END = 10;
