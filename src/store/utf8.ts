/** Text as UTF-8 and back, for rooms that know neither Node.js nor browsers. */

export function toUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
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
      if (code >= 0xd800 && code < 0xe000) {
        const next = code < 0xdc00 ? text.charCodeAt(i + 1) : 0;
        if (next >= 0xdc00 && next < 0xe000) {
          i += 1;
          code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        } else {
          code = REPLACEMENT;
        }
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
  return bytes.slice(0, length);
}

const REPLACEMENT = 0xfffd;
/** So many arguments are few enough for a call. */
const PIECE = 4096;

/** Null if it is not UTF-8. */
export function fromUtf8(bytes: Uint8Array): string | null {
  let text = '';
  let codes: number[] = [];
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i]!;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let code = length === 1 ? first : first & (0x7f >> length);
    for (let k = 1; k < length; k++) {
      const next = bytes[i + k] ?? 0;
      if ((next & 0xc0) !== 0x80) return null;
      code = (code << 6) | (next & 0x3f);
    }
    if (!isWritten(first, code, length)) return null;
    i += length;
    if (code < 0x10000) codes.push(code);
    else codes.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
    if (codes.length < PIECE) continue;
    text += String.fromCharCode(...codes);
    codes = [];
  }
  return text + String.fromCharCode(...codes);
}

/** Every character has one way to be written: the shortest. Halves of a pair are no characters. */
function isWritten(first: number, code: number, length: number): boolean {
  if (length === 1) return true;
  if (first < 0xc2 || first > 0xf4) return false;
  if (length === 2) return true;
  if (length === 3) return code >= 0x800 && (code < 0xd800 || code >= 0xe000);
  return code >= 0x10000 && code <= 0x10ffff;
}
