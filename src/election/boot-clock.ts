/**
 * The time since the machine was started, its sleeps included. `os.uptime` opens, reads and closes `/proc/uptime` at
 * each call; a process that looks sixty times a second keeps the file open and only reads it.
 */
import fs from 'node:fs';
import os from 'node:os';

const FILE = '/proc/uptime';
const bytes = Buffer.alloc(64);
const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];

/** Undefined: not opened yet. Null: it cannot be used. */
let file: number | null | undefined;

/** In milliseconds. Null where the monotonic clock counts sleeps, or the time since the start is told in whole seconds. */
export const systemBoot: (() => number) | null = process.platform === 'linux' ? read : null;

function read(): number {
  if (file === undefined) file = opened();
  if (file !== null) {
    const readMs = readFrom(file);
    if (readMs !== null) return readMs;
    file = null;
  }
  return os.uptime() * 1000;
}

function opened(): number | null {
  try {
    return fs.openSync(FILE, 'r');
  } catch {
    return null;
  }
}

/** Null if the file does not say so: the program may have closed it, and opened another one under its number. */
function readFrom(fd: number): number | null {
  try {
    return hundredths(fs.readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  }
}

/** `12345.67 …`, with two digits after the point. */
function hundredths(length: number): number | null {
  let value = 0;
  let pointAt = -1;
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]!;
    if (byte === POINT && pointAt < 0) pointAt = i;
    else if (byte < ZERO || byte > NINE) return null;
    else value = 10 * value + byte - ZERO;
    if (pointAt >= 0 && i === pointAt + 2) return value * 10;
  }
  return null;
}
