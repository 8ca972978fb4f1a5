/**
 * A sector is the smallest piece of a disk that a power failure leaves either old or new. Each one ends with a seal:
 * a checksum over its bytes and its place in the file.
 *
 * The seals distinguish a write that was cut short from damage. In a page that was half written when the power
 * failed, every sector has a valid seal, some from the earlier write and some from this one. A bit that changed later
 * breaks a seal.
 */
import { crc32c, overZeros } from './crc32c.ts';

export const SECTOR = 512;
/** What the system writes at once: eight sectors. */
export const PAGE = 4096;

/** In hexadecimal digits, so that the file stays text. */
const SEAL = 8;
const ROOM = SECTOR - SEAL;
/** How many bytes of content fit into a page. */
export const ROOM_IN_PAGE: number = (PAGE / SECTOR) * ROOM;

/** The content in as many pages as it takes, padded with zeros. The first sector has the number `first` in the file. */
export function seal(content: Uint8Array, first: number): Uint8Array {
  const bytes = new Uint8Array(sealedLength(content.length));
  for (let i = 0; i < bytes.length / SECTOR; i++) {
    const at = i * SECTOR;
    const isEmpty = i * ROOM >= content.length;
    if (!isEmpty) bytes.set(content.subarray(i * ROOM, (i + 1) * ROOM), at);
    writeDigits(
      isEmpty ? emptySeal(first + i) : checksum(bytes.subarray(at, at + ROOM), first + i),
      bytes,
      at + ROOM,
    );
  }
  return bytes;
}

export function sealedLength(length: number): number {
  return Math.max(1, Math.ceil(length / ROOM_IN_PAGE)) * PAGE;
}

/** The content, or the number of the first sector (from 0) with a broken seal. */
export function unseal(bytes: Uint8Array, first: number): Uint8Array | number {
  const sectors = bytes.length / SECTOR;
  const content = new Uint8Array(sectors * ROOM);
  for (let i = 0; i < sectors; i++) {
    const at = i * SECTOR;
    const isEmpty = isZeroBetween(bytes, at, at + ROOM);
    const sector = isEmpty ? null : bytes.subarray(at, at + ROOM);
    const found = sector === null ? emptySeal(first + i) : checksum(sector, first + i);
    if (!hasDigits(found, bytes, at + ROOM)) return i;
    if (sector !== null) content.set(sector, i * ROOM);
  }
  return content;
}

export function isZero(bytes: Uint8Array): boolean {
  return isZeroBetween(bytes, 0, bytes.length);
}

/** Most bytes of most files are zero: eight at a time take a third of the time. */
function isZeroBetween(bytes: Uint8Array, from: number, to: number): boolean {
  let i = from;
  for (; i + 8 <= to; i += 8) {
    const low = bytes[i]! | bytes[i + 1]! | bytes[i + 2]! | bytes[i + 3]!;
    if ((low | bytes[i + 4]! | bytes[i + 5]! | bytes[i + 6]! | bytes[i + 7]!) !== 0) return false;
  }
  for (; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}

function checksum(sector: Uint8Array, place: number): number {
  return crc32c(sector, checksumOf(place));
}

function checksumOf(place: number): number {
  for (let i = 0; i < 4; i++) PLACE[i] = place >>> (24 - 8 * i);
  return crc32c(PLACE);
}

const PLACE = new Uint8Array(4);

const overEmpty: (before: number) => number = overZeros(ROOM);

/** Most sectors of most files are empty. */
function emptySeal(place: number): number {
  return overEmpty(checksumOf(place));
}

function writeDigits(value: number, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < SEAL; i++) bytes[at + i] = digit(value, i);
}

function hasDigits(value: number, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SEAL; i++) if (bytes[at + i] !== digit(value, i)) return false;
  return true;
}

function digit(value: number, i: number): number {
  const nibble = (value >>> (28 - 4 * i)) & 15;
  return nibble < 10 ? ZERO + nibble : LETTER_A + nibble - 10;
}

const ZERO = 48;
const LETTER_A = 97;
