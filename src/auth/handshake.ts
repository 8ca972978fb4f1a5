/**
 * The mutual proof at the beginning of a connection between two members that share a secret, as data: frames in,
 * frames out. It has no socket, no clock and no random source. docs/authentication.md describes it for other languages.
 *
 *   initiator (dialled)                          responder (accepted)
 *     {"prove":1,"cluster","from","to","nonce"}  →
 *                                                ←  {"nonce"}
 *     {"proofs":[…]}                             →          one for each secret that the initiator has
 *                                                ←  {"proof"}         by the first of these that the responder has too
 *
 * The side that dialled proves itself first, so a process that only connects gets nothing that depends on the secret.
 * A proof covers the role, the version, the cluster, both ids and both nonces: it is of no use on another connection,
 * to another member, or back to its sender. Everything after it is sealed (seal.ts), the greeting too, so a process
 * that has proven nothing learns nothing of this one but its id, which is in the configuration of its peers.
 */
import { createHash, hkdfSync } from 'node:crypto';
import { asObject, BadInput, electionName, type MemberId, memberId } from '../core/index.ts';
import { type Field, hmac, isEqual, joinFields, readBytes } from './fields.ts';
import type { Secret } from './secret.ts';

/** The version of the frames above, of the proofs and of the seal. There is no other, and none is negotiated. */
const VERSION = 1;
const LABEL: string = `caucus link ${VERSION}`;
export const NONCE_BYTES = 32;
const PROOF_BYTES = 32;
const KEY_BYTES = 32;
/** Longer than any frame of the handshake, and than a greeting without a proof, which is read for the id in it. */
const LONGEST_FRAME = 8192;
const MOST_PROOFS = 2;

interface Parties {
  readonly cluster: string;
  readonly from: MemberId;
  readonly to: MemberId;
}

/** What both sides know once they have proven themselves. */
export interface Session {
  /** The id that the other side has proven. */
  readonly peer: MemberId;
  /** The secret that both have. */
  readonly secret: Secret;
  /** One key for each direction: a frame that is sent back to its sender does not fit. */
  readonly sendKey: Buffer;
  readonly receiveKey: Buffer;
}

/**
 * `unauthenticated`: it has no secret, or speaks another version. `wrong-secret`: it has none of ours. `other-cluster`
 * and `other-member`: it has, but means another cluster or member.
 */
export type Flaw = 'unauthenticated' | 'wrong-secret' | 'other-cluster' | 'other-member';

export type Step =
  | { readonly type: 'say'; readonly frame: string }
  /** `frame`: the last one to send, or null. */
  | { readonly type: 'proven'; readonly frame: string | null; readonly session: Session }
  /** `claimed`: the id that the other side says it has, which is not proven; null if it says none. */
  | { readonly type: 'failed'; readonly flaw: Flaw; readonly claimed: MemberId | null };

/** The side that opened the connection. */
export class Initiator {
  readonly #parties: Parties;
  readonly #secrets: readonly Secret[];
  readonly #nonce: Buffer;
  #transcript: Transcript | null = null;

  /** `nonce`: random bytes that are used for nothing else. */
  constructor(parties: Parties, secrets: readonly Secret[], nonce: Buffer) {
    this.#parties = parties;
    this.#secrets = secrets;
    this.#nonce = nonce;
  }

  first(): string {
    const { cluster, from, to } = this.#parties;
    return JSON.stringify({ prove: VERSION, cluster, from, to, nonce: this.#nonce.toString('base64url') });
  }

  take(text: string | null): Step {
    const frame = readFrame(text);
    const transcript = this.#transcript;
    if (transcript === null) {
      const theirs = readBytes(frame?.nonce, NONCE_BYTES);
      if (theirs === null) return this.#fail(flawIn(frame));
      this.#transcript = new Transcript(this.#parties, this.#nonce, theirs);
      const proofs = this.#secrets.map((secret) => this.#transcript!.initiatorProof(secret));
      this.#transcript.offered = proofs;
      return say({ proofs: proofs.map((proof) => proof.toString('base64url')) });
    }
    const proof = readBytes(frame?.proof, PROOF_BYTES);
    if (proof === null) return this.#fail(flawIn(frame));
    const [secret] = this.#secrets.filter((each) => isEqual(transcript.responderProof(each), proof));
    if (secret === undefined) return this.#fail('wrong-secret');
    const [sendKey, receiveKey] = transcript.keys(secret);
    return { type: 'proven', frame: null, session: { peer: this.#parties.to, secret, sendKey, receiveKey } };
  }

  #fail(flaw: Flaw): Step {
    return { type: 'failed', flaw, claimed: this.#parties.to };
  }
}

/** The side that accepted the connection. */
export class Responder {
  readonly #own: { readonly cluster: string; readonly id: MemberId };
  readonly #secrets: readonly Secret[];
  readonly #nonce: Buffer;
  #transcript: Transcript | null = null;

  /** `nonce`: random bytes that are used for nothing else. */
  constructor(
    own: { readonly cluster: string; readonly id: MemberId },
    secrets: readonly Secret[],
    nonce: Buffer,
  ) {
    this.#own = own;
    this.#secrets = secrets;
    this.#nonce = nonce;
  }

  take(text: string | null): Step {
    const frame = readFrame(text);
    const transcript = this.#transcript;
    if (transcript === null) {
      const parties = readParties(frame);
      const theirs = readBytes(frame?.nonce, NONCE_BYTES);
      if (parties === null || theirs === null)
        return { type: 'failed', flaw: 'unauthenticated', claimed: claimedId(frame) };
      this.#transcript = new Transcript(parties, theirs, this.#nonce);
      return say({ nonce: this.#nonce.toString('base64url') });
    }
    const { parties } = transcript;
    const offered = readProofs(frame?.proofs);
    if (offered === null) return { type: 'failed', flaw: 'unauthenticated', claimed: parties.from };
    // All are compared, whichever fits: the time does not tell which of the secrets is known.
    const known = offered.flatMap((proof) =>
      this.#secrets.filter((secret) => isEqual(transcript.initiatorProof(secret), proof)),
    );
    const flaw = this.#flaw(parties, known[0]);
    if (flaw !== null) return { type: 'failed', flaw, claimed: parties.from };
    const secret = known[0]!;
    transcript.offered = offered;
    const proof = transcript.responderProof(secret);
    const [receiveKey, sendKey] = transcript.keys(secret);
    return {
      type: 'proven',
      frame: JSON.stringify({ proof: proof.toString('base64url') }),
      session: { peer: parties.from, secret, sendKey, receiveKey },
    };
  }

  /** Which cluster and which member this is, only a process is told that knows the secret. */
  #flaw({ cluster, from, to }: Parties, secret: Secret | undefined): Flaw | null {
    if (secret === undefined) return 'wrong-secret';
    if (cluster !== this.#own.cluster) return 'other-cluster';
    return to !== this.#own.id || from === this.#own.id ? 'other-member' : null;
  }
}

/** All that a proof covers. */
class Transcript {
  readonly parties: Parties;
  /** The proofs of the initiator: that of the responder covers them, so none can be taken out in between. */
  offered: readonly Buffer[] = [];
  readonly #fields: readonly Field[];

  constructor(parties: Parties, initiatorNonce: Buffer, responderNonce: Buffer) {
    this.parties = parties;
    const { cluster, from, to } = parties;
    this.#fields = [cluster, String(from), String(to), initiatorNonce, responderNonce];
  }

  initiatorProof(secret: Secret): Buffer {
    return hmac(secret.key('link proof'), [LABEL, 'initiator', ...this.#fields]);
  }

  responderProof(secret: Secret): Buffer {
    return hmac(secret.key('link proof'), this.#all);
  }

  /** From the initiator to the responder, and back. */
  keys(secret: Secret): [there: Buffer, back: Buffer] {
    const salt = createHash('sha256').update(joinFields(this.#all)).digest();
    const derive = (direction: string): Buffer =>
      Buffer.from(hkdfSync('sha256', secret.key('link session'), salt, `${LABEL} ${direction}`, KEY_BYTES));
    return [derive('to responder'), derive('to initiator')];
  }

  get #all(): readonly Field[] {
    return [LABEL, 'responder', ...this.#fields, ...this.offered];
  }
}

function say(frame: object): Step {
  return { type: 'say', frame: JSON.stringify(frame) };
}

type Read = Readonly<Record<string, unknown>>;

/** Null if it is no JSON object, or longer than any frame of the handshake. */
function readFrame(text: string | null): Read | null {
  if (text === null || text.length > LONGEST_FRAME) return null;
  try {
    return asObject(JSON.parse(text), 'frame');
  } catch {
    return null;
  }
}

function readParties(frame: Read | null): Parties | null {
  if (frame === null || frame.prove !== VERSION) return null;
  try {
    return {
      cluster: electionName.read(frame.cluster, 'cluster'),
      from: memberId.read(frame.from, 'from'),
      to: memberId.read(frame.to, 'to'),
    };
  } catch (error) {
    if (error instanceof BadInput) return null;
    throw error;
  }
}

function readProofs(given: unknown): readonly Buffer[] | null {
  if (!Array.isArray(given) || given.length < 1 || given.length > MOST_PROOFS) return null;
  const proofs = given.map((proof) => readBytes(proof, PROOF_BYTES));
  return proofs.every((proof) => proof !== null) ? proofs : null;
}

/** A greeting without a proof has the id of its sender, and so has the first frame of another version. */
function claimedId(frame: Read | null): MemberId | null {
  try {
    return memberId.read(frame?.from ?? frame?.id, 'id');
  } catch {
    return null;
  }
}

/** What the responder says about its refusal is not proven, so only its kind is believed, and its words are not shown. */
function flawIn(frame: Read | null): Flaw {
  const kind = frame?.refused;
  if (kind === 'wrong-secret' || kind === 'other-cluster') return kind;
  return kind === 'unknown-member' ? 'other-member' : 'unauthenticated';
}
