import { sha256 } from './sha256.ts';
import { toUtf8, utf8Length } from './utf8.ts';

/**
 * Text as bytes, and bytes as a digest. A member uses the functions of Node.js: the JavaScript of this room is not
 * compiled yet when a leader dies, and takes twenty times as long then. Both give the same bytes.
 */
export interface Coding {
  toUtf8(text: string): Uint8Array;
  /** The number of bytes of the text. */
  utf8Length(text: string): number;
  /** In 64 hexadecimal digits. */
  sha256(bytes: Uint8Array): string;
}

/** For code that uses neither Node.js nor browser APIs. */
export const pureCoding: Coding = { toUtf8, utf8Length, sha256 };
