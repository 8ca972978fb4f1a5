import { sha256 } from './sha256.ts';
import { toUtf8, utf8Length } from './utf8.ts';

/**
 * How text becomes bytes, and bytes a digest. A member is given that of Node.js: the JavaScript of this room has not been compiled
 * yet when a leader dies, and takes twenty times as long then. Both write the same bytes.
 */
export interface Coding {
  toUtf8(text: string): Uint8Array;
  /** How many bytes that takes. */
  utf8Length(text: string): number;
  /** In 64 hexadecimal digits. */
  sha256(bytes: Uint8Array): string;
}

/** For rooms that know neither Node.js nor browsers. */
export const pureCoding: Coding = { toUtf8, utf8Length, sha256 };
