/**
 * The frames of a connection after the handshake: sealed, with pings and pongs of their own, since those of the
 * WebSocket are not authenticated. When the secrets change, both sides prove themselves again over the same
 * connection: the keys change, and the connection stays.
 *
 *   initiator                        responder
 *     proof frame 1                →
 *                                  ←  proof frame 2
 *     proof frame 3                →
 *                                  ←  proof frame 4, its last one under the old key
 *     switch, its last one         →
 *       under the old key
 */
import { randomBytes } from 'node:crypto';
import {
  Initiator,
  NONCE_BYTES,
  Opener,
  Responder,
  Sealer,
  type Secret,
  type Secrets,
  type Session,
} from '../../auth/index.ts';
import type { MemberId } from '../../core/index.ts';
import type { LinkRefusal } from '../../peers/index.ts';

/** What a sealed frame holds: its first byte. */
const KIND = { texts: 0, ping: 1, pong: 2, proof: 3, switch: 4 } as const;

/** The responder asks the initiator to begin again. */
const AGAIN = '{"again":true}';

export type Received =
  | { readonly type: 'texts'; readonly texts: readonly string[] }
  | { readonly type: 'pong'; readonly mark: string }
  /** It was only about the wire itself. */
  | { readonly type: 'nothing' }
  /** The connection cannot be used any more. */
  | { readonly type: 'broken'; readonly kind: LinkRefusal; readonly reason: string };

const NOTHING: Received = { type: 'nothing' };

/** Texts are JSON on one line. */
const SEPARATOR = '\n';
/** So many texts, of so many characters, are sealed as one frame. */
const LARGEST_BATCH = 256;
const LONGEST_BATCH = 64 * 1024;

/** As for the pings of a WebSocket: what is sent back must not be large. */
const LONGEST_MARK = 125;

/** The two ends. */
interface Ends {
  readonly cluster: string;
  readonly own: MemberId;
  /** Did this side open the connection? */
  readonly isInitiator: boolean;
}

export class SealedWire {
  /** The id that the other side has proven. */
  readonly peer: MemberId;

  readonly #ends: Ends;
  readonly #secrets: Secrets;
  readonly #put: (frame: Buffer) => void;
  #secret: Secret;
  #sealer: Sealer;
  #opener: Opener;
  /** The handshake that is under way on this connection. */
  #again: Initiator | Responder | null = null;
  /** The secrets changed once more while it was. */
  #isDue = false;
  /** The texts that wait for the end of the current event, and their length. */
  #texts: string[] = [];
  #length = 0;
  /** The responder's: opens the frames after the switch. */
  #next: Opener | null = null;

  constructor(session: Session, ends: Ends, secrets: Secrets, put: (frame: Buffer) => void) {
    this.peer = session.peer;
    this.#ends = ends;
    this.#secrets = secrets;
    this.#put = put;
    this.#secret = session.secret;
    this.#sealer = new Sealer(session.sendKey);
    this.#opener = new Opener(session.receiveKey);
  }

  /** Is it sealed by a secret that is still valid? */
  get isValid(): boolean {
    return this.#secrets.has(this.#secret);
  }

  /**
   * All texts that one event causes are sealed together: the call of the cipher costs more than what it encrypts, and
   * with a thousand elections on one connection there are a thousand texts at once.
   */
  send(text: string): void {
    if (this.#length + text.length > LONGEST_BATCH || this.#texts.length >= LARGEST_BATCH) this.flush();
    if (this.#texts.length === 0) process.nextTick(() => this.flush());
    this.#texts.push(text);
    this.#length += text.length;
  }

  /** Seals the texts that wait. */
  flush(): void {
    if (this.#texts.length === 0) return;
    const body = this.#texts.join(SEPARATOR);
    this.#texts = [];
    this.#length = 0;
    this.#put(this.#sealer.seal(KIND.texts, body));
  }

  ping(mark: string): void {
    this.flush();
    this.#put(this.#sealer.seal(KIND.ping, mark));
  }

  /** The secrets have changed: both sides prove themselves anew. */
  renew(): void {
    if (!this.#ends.isInitiator) return this.#put(this.#sealer.seal(KIND.proof, AGAIN));
    if (this.#again !== null) {
      this.#isDue = true;
      return;
    }
    const { cluster, own } = this.#ends;
    const parties = { cluster, from: own, to: this.peer };
    const initiator = new Initiator(parties, this.#secrets.list, randomBytes(NONCE_BYTES));
    this.#again = initiator;
    this.#put(this.#sealer.seal(KIND.proof, initiator.first()));
  }

  open(data: Buffer, isBinary: boolean): Received {
    const opened = isBinary ? this.#opener.open(data) : 'a frame that is not sealed';
    if (typeof opened === 'string') return { type: 'broken', kind: 'bad-seal', reason: opened };
    const text = opened.body.toString();
    switch (opened.kind) {
      case KIND.texts:
        return { type: 'texts', texts: text.split(SEPARATOR) };
      case KIND.ping:
        if (opened.body.length > LONGEST_MARK) return broken(`a ping of ${opened.body.length} bytes`);
        this.#put(this.#sealer.seal(KIND.pong, opened.body));
        return NOTHING;
      case KIND.pong:
        return { type: 'pong', mark: text };
      case KIND.proof:
        return this.#onProof(text);
      case KIND.switch:
        return this.#onSwitch();
      default:
        return broken(`a sealed frame of the unknown kind ${opened.kind}`);
    }
  }

  #onProof(text: string): Received {
    if (this.#ends.isInitiator && text === AGAIN) {
      this.renew();
      return NOTHING;
    }
    if (this.#again === null) {
      if (this.#ends.isInitiator || this.#next !== null) return broken('a proof that was not asked for');
      const { cluster, own: id } = this.#ends;
      this.#again = new Responder({ cluster, id }, this.#secrets.list, randomBytes(NONCE_BYTES));
    }
    const step = this.#again.take(text);
    if (step.type === 'say') {
      this.#put(this.#sealer.seal(KIND.proof, step.frame));
      return NOTHING;
    }
    if (step.type === 'failed' || step.session.peer !== this.peer) {
      const reason = `member ${this.peer} was connected and knows none of the secrets that are valid now`;
      return { type: 'broken', kind: 'wrong-secret', reason };
    }
    this.#again = null;
    this.#change(step.session, step.frame);
    return NOTHING;
  }

  /** `frame`: the proof of the responder. */
  #change({ secret, sendKey, receiveKey }: Session, frame: string | null): void {
    this.#put(frame === null ? this.#sealer.seal(KIND.switch, '') : this.#sealer.seal(KIND.proof, frame));
    this.#secret = secret;
    this.#sealer = new Sealer(sendKey);
    if (frame === null) this.#opener = new Opener(receiveKey);
    else this.#next = new Opener(receiveKey);
    if (!this.#isDue) return;
    this.#isDue = false;
    this.renew();
  }

  #onSwitch(): Received {
    if (this.#next === null) return broken('a switch of keys that was not agreed upon');
    this.#opener = this.#next;
    this.#next = null;
    return NOTHING;
  }
}

function broken(reason: string): Received {
  return { type: 'broken', kind: 'bad-seal', reason };
}
