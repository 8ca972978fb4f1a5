/**
 * The smallest piece of a disk that a loss of power leaves either as it was or as it was to be: a sector. Each one ends with a
 * seal, a checksum over its bytes and its place in the file.
 *
 * The seals tell a write that was cut short from damage. In a page of which half was written when the power failed, every sector
 * is sealed, some by the write before and some by this one. A bit that changed later breaks a seal.
 */
import { crc32c } from './crc32c.ts';

export const SECTOR = 512;
/** What the system writes at once: eight sectors. */
export const PAGE = 4096;

/** In hexadecimal digits: the file stays text. */
const SEAL = 8;
const ROOM = SECTOR - SEAL;
/** How much a page has room for. */
export const ROOM_IN_PAGE: number = (PAGE / SECTOR) * ROOM;

/** The content in as many pages as it takes, the rest zeros. The first sector is the one with the number `first` in the file. */
export function seal(content: Uint8Array, first: number): Uint8Array {
  const bytes = new Uint8Array(sealedLength(content.length));
  for (let i = 0; i < bytes.length / SECTOR; i++) {
    const at = i * SECTOR;
    bytes.set(content.subarray(i * ROOM, (i + 1) * ROOM), at);
    const isEmpty = i * ROOM >= content.length;
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

/** The content, or the number of the first sector (from 0) whose seal is broken. */
export function unseal(bytes: Uint8Array, first: number): Uint8Array | number {
  const sectors = bytes.length / SECTOR;
  const content = new Uint8Array(sectors * ROOM);
  for (let i = 0; i < sectors; i++) {
    const sector = bytes.subarray(i * SECTOR, i * SECTOR + ROOM);
    const found = isZero(sector) ? emptySeal(first + i) : checksum(sector, first + i);
    if (!hasDigits(found, bytes, i * SECTOR + ROOM)) return i;
    content.set(sector, i * ROOM);
  }
  return content;
}

export function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}

function checksum(sector: Uint8Array, place: number): number {
  return crc32c(sector, crc32c(new Uint8Array([place >>> 24, place >>> 16, place >>> 8, place])));
}

const EMPTY = new Uint8Array(ROOM);
const emptySeals: number[] = [];

/** Most sectors of most files are empty: their seals are worked out once. */
function emptySeal(place: number): number {
  if (place >= 2 * (PAGE / SECTOR)) return checksum(EMPTY, place);
  emptySeals[place] ??= checksum(EMPTY, place);
  return emptySeals[place];
}

function writeDigits(value: number, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < SEAL; i++) bytes[at + i] = digit(value, i);
}

function hasDigits(value: number, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SEAL; i++) if (bytes[at + i] !== digit(value, i)) return false;
  return true;
}

function digit(value: number, i: number): number {
  return '0123456789abcdef'.charCodeAt((value >>> (28 - 4 * i)) & 15);
}
