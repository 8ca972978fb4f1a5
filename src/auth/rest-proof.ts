/**
 * The proof of a voter that sends its messages by HTTP requests, and that of the answers. In the headers of RFC 9110:
 *
 *   request   authorization: Caucus from=a, to=b, boot=…, counter=17, proof=…
 *   answer    authentication-info: proof=…
 *   401       www-authenticate: Caucus id=b, boot=…, counter=16
 *
 * `boot` names the process that receives, or a part of its time: it is random, and told with the 401 that answers a
 * request with another one.
 * `counter` rises with each request of a sender to one boot, and each is accepted once: a request that is sent again
 * is refused, also after the receiver has started anew. The proof covers both, and the whole request. That of the
 * answer covers the proof of its request, so it answers no other. docs/authentication.md describes it for other
 * languages.
 */
import { createHash } from 'node:crypto';
import { type MemberId, memberId, parseId } from '../core/index.ts';
import { hmac, isEqual, readBytes } from './fields.ts';
import type { Secret } from './secret.ts';

const LABEL = 'caucus rest 1';
const PROOF_BYTES = 32;
export const BOOT_BYTES = 16;
const LONGEST_HEADER = 1000;

/** What a request says of itself. */
export interface RequestClaim {
  readonly from: MemberId;
  readonly to: MemberId;
  /** As the receiver told it; empty before it has. */
  readonly boot: string;
  readonly counter: number;
}

/** The request that the proof covers. */
export interface ProvenRequest {
  readonly cluster: string;
  readonly method: string;
  /** What follows the URL of the receiver: `/election/cast`, with the query if there is one. */
  readonly path: string;
  readonly body: Buffer;
}

export interface Challenge {
  readonly id: MemberId;
  readonly boot: string;
  /** The last counter that was accepted from this sender, or 0; null unless it is the reason of the refusal. */
  readonly counter: number | null;
}

export function requestProof(
  secret: Secret,
  { from, to, boot, counter }: RequestClaim,
  { cluster, method, path, body }: ProvenRequest,
): Buffer {
  const claim = [String(from), String(to), boot, String(counter)];
  return hmac(secret.key('rest'), [LABEL, 'request', cluster, ...claim, method, path, digest(body)]);
}

export function answerProof(secret: Secret, request: Buffer, status: number, body: Buffer): Buffer {
  return hmac(secret.key('rest'), [LABEL, 'answer', request, String(status), digest(body)]);
}

export function writeAuthorization({ from, to, boot, counter }: RequestClaim, proof: Buffer): string {
  return `Caucus from=${from}, to=${to}, boot=${boot}, counter=${counter}, proof=${proof.toString('base64url')}`;
}

/** Null if there is none, or it cannot be read. */
export function readAuthorization(
  header: string | undefined,
): { readonly claim: RequestClaim; readonly proof: Buffer } | null {
  const values = readHeader(header);
  if (values === null) return null;
  const [from, to] = [readId(values.get('from')), readId(values.get('to'))];
  const counter = readCounter(values.get('counter'));
  const proof = readBytes(values.get('proof'), PROOF_BYTES);
  const boot = values.get('boot');
  if (from === null || to === null || counter === null || proof === null || boot === undefined) return null;
  return { claim: { from, to, boot, counter }, proof };
}

export function writeChallenge({ id, boot, counter }: Challenge): string {
  return `Caucus id=${id}, boot=${boot}${counter === null ? '' : `, counter=${counter}`}`;
}

export function readChallenge(header: string | undefined): Challenge | null {
  const values = readHeader(header);
  const id = readId(values?.get('id'));
  const boot = values?.get('boot');
  if (id === null || readBytes(boot, BOOT_BYTES) === null) return null;
  return { id, boot: boot!, counter: readCounter(values!.get('counter')) };
}

export function writeAnswerProof(proof: Buffer): string {
  return `proof=${proof.toString('base64url')}`;
}

export function isAnswerProof(header: string | undefined, expected: Buffer): boolean {
  const proof = readBytes(/^proof=([\w-]+)$/.exec(header ?? '')?.[1], PROOF_BYTES);
  return proof !== null && isEqual(proof, expected);
}

export function isRequestProof(proof: Buffer, expected: Buffer): boolean {
  return isEqual(proof, expected);
}

function digest(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest();
}

/** The parameters after the word `Caucus`. */
function readHeader(header: string | undefined): ReadonlyMap<string, string> | null {
  if (header === undefined || header.length > LONGEST_HEADER || !/^caucus /i.test(header)) return null;
  const values = new Map<string, string>();
  for (const part of header.slice('caucus '.length).split(',')) {
    const cut = part.indexOf('=');
    if (cut < 0) return null;
    const name = part.slice(0, cut).trim();
    if (values.has(name)) return null;
    values.set(name, part.slice(cut + 1).trim());
  }
  return values;
}

function readId(text: string | undefined): MemberId | null {
  try {
    return memberId.read(parseId(text ?? ''), 'id');
  } catch {
    return null;
  }
}

function readCounter(text: string | undefined): number | null {
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : null;
}
