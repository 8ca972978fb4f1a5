/**
 * A sector is the smallest piece of a disk that a power failure leaves either old or new. Each one ends with a seal:
 * a checksum over its bytes and its place in the file.
 *
 * The seals distinguish a write that was cut short from damage. In a page that was half written when the power
 * failed, every sector has a valid seal, some from the earlier write and some from this one. A bit that changed later
 * breaks a seal.
 */
import { crc32c } from './crc32c.ts';

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

/** The content, or the number of the first sector (from 0) with a broken seal. */
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

/** Most sectors of most files are empty: their seals are computed once. */
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
