/**
 * Seals the frames of one direction of a connection after the handshake, and opens them at the other end.
 *
 *   counter (8 bytes, the highest first) ‖ AES-256-GCM of (kind (1 byte) ‖ body) ‖ tag (16 bytes)
 *
 * The counter begins at 0 and rises by one; it is the nonce of AES-GCM, after four zero bytes, so no nonce is used
 * twice with one key. The receiver accepts exactly the next counter: a frame that is repeated, left out, moved, made
 * up, or sent back to its sender does not open, and the connection is closed.
 *
 * An AEAD costs no more here than an HMAC over the same frame (docs/decisions/0010-shared-secret.md), and a reader in
 * between learns only lengths and times.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const COUNTER_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KIND_BYTES = 1;

/** How much longer a sealed frame is than its body. */
export const SEAL_BYTES: number = COUNTER_BYTES + KIND_BYTES + TAG_BYTES;

export interface Opened {
  readonly kind: number;
  readonly body: Buffer;
}

class Counter {
  /** Four zero bytes and the counter. */
  readonly nonce: Buffer = Buffer.alloc(NONCE_BYTES);
  #next = 0;

  /** The bytes of the next frame. */
  peek(): Buffer {
    this.nonce.writeUInt32BE(Math.floor(this.#next / 2 ** 32), 4);
    this.nonce.writeUInt32BE(this.#next % 2 ** 32, 8);
    return this.nonce.subarray(NONCE_BYTES - COUNTER_BYTES);
  }

  advance(): void {
    this.#next++;
  }
}

export class Sealer {
  readonly #key: Buffer;
  readonly #counter = new Counter();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** A million frames a second reach the end of the counter, 2^53, after 285 years. */
  seal(kind: number, body: Buffer | string): Buffer {
    const counter = Buffer.from(this.#counter.peek());
    const cipher = createCipheriv(CIPHER, this.#key, this.#counter.nonce, { authTagLength: TAG_BYTES });
    this.#counter.advance();
    const sealed = [counter, cipher.update(Buffer.of(kind))];
    sealed.push(typeof body === 'string' ? cipher.update(body, 'utf8') : cipher.update(body));
    sealed.push(cipher.final(), cipher.getAuthTag());
    return Buffer.concat(sealed);
  }
}

export class Opener {
  readonly #key: Buffer;
  readonly #counter = new Counter();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Or, in words, why the frame is not the one that the other side sent next. */
  open(frame: Buffer): Opened | string {
    if (frame.length < SEAL_BYTES) return 'a frame that is too short to be sealed';
    const counter = frame.subarray(0, COUNTER_BYTES);
    if (!counter.equals(this.#counter.peek())) return 'a frame that was repeated, left out or moved';
    const decipher = createDecipheriv(CIPHER, this.#key, this.#counter.nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(frame.subarray(frame.length - TAG_BYTES));
    const plain = decipher.update(frame.subarray(COUNTER_BYTES, frame.length - TAG_BYTES));
    try {
      decipher.final();
    } catch {
      return 'a frame that the other side did not seal';
    }
    this.#counter.advance();
    return { kind: plain[0]!, body: plain.subarray(KIND_BYTES) };
  }
}
