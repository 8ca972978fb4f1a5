/** Text as UTF-8 and back, for code that uses neither Node.js nor browser APIs. */

export function toUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
    } else {
      if (isPair(text, i)) {
        i += 1;
        code = 0x10000 + ((code - 0xd800) << 10) + (text.charCodeAt(i) - 0xdc00);
      } else if (code >= 0xd800 && code < 0xe000) {
        code = REPLACEMENT;
      }
      if (code < 0x10000) {
        bytes[length++] = 0xe0 | (code >> 12);
      } else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return bytes;
}

export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (isPair(text, i)) i += 1; // The two units of a pair take four bytes.
    length += code < 0x800 ? 1 : 2;
  }
  return length;
}

function isPair(text: string, i: number): boolean {
  const code = text.charCodeAt(i);
  if (code < 0xd800 || code >= 0xdc00) return false;
  const next = text.charCodeAt(i + 1);
  return next >= 0xdc00 && next < 0xe000;
}

const REPLACEMENT = 0xfffd;
/** Null if it is not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | null {
  if (isAscii(bytes)) return textOf(bytes);
  // No text has more units than bytes.
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i]!;
    if (first < 0x80) {
      units[count++] = first;
      i += 1;
      continue;
    }
    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let code = first & (0x7f >> length);
    for (let k = 1; k < length; k++) {
      const next = bytes[i + k] ?? 0;
      if ((next & 0xc0) !== 0x80) return null;
      code = (code << 6) | (next & 0x3f);
    }
    if (!isWritten(first, code, length)) return null;
    i += length;
    if (code >= 0x10000) units[count++] = 0xd800 + ((code - 0x10000) >> 10);
    units[count++] = code < 0x10000 ? code : 0xdc00 + ((code - 0x10000) & 0x3ff);
  }
  return textOf(units.subarray(0, count));
}

/** A call can take this many arguments. */
const PIECE = 4096;

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}

function textOf(units: Uint16Array | Uint8Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += PIECE) {
    // The spread syntax would use an iterator, which takes ten times as long.
    text += String.fromCharCode.apply(null, units.subarray(at, at + PIECE) as unknown as number[]);
  }
  return text;
}

/** Only the shortest encoding of a character is valid. Halves of a surrogate pair are not. */
function isWritten(first: number, code: number, length: number): boolean {
  if (first < 0xc2 || first > 0xf4) return false;
  if (length === 2) return true;
  if (length === 3) return code >= 0x800 && (code < 0xd800 || code >= 0xe000);
  return code >= 0x10000 && code <= 0x10ffff;
}
