/**
 * What is authenticated is a list of fields. Each is preceded by its length, so that no two lists make the same bytes:
 * without that, ("ab", "c") and ("a", "bc") would have one proof.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type Field = string | Buffer;

/** Each field as its length (4 bytes, the highest first) and its bytes; text in UTF-8. */
export function joinFields(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = typeof field === 'string' ? Buffer.from(field) : field;
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

export function hmac(key: Buffer, fields: readonly Field[]): Buffer {
  return createHmac('sha256', key).update(joinFields(fields)).digest();
}

/** In a time that does not depend on where they differ. */
export function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The bytes that base64url (without padding) stands for; null unless they are so many. */
export function readBytes(text: unknown, length: number): Buffer | null {
  if (typeof text !== 'string' || text.length !== Math.ceil((length * 4) / 3)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text ? bytes : null;
}
