/**
 * What travels over a link, one JSON text per WebSocket message:
 *
 * - `{"caucus": 2, "accepts": 2, ...Identity}`, the hello, is the first frame each way. The side that dialled says it
 *   first. `caucus` is the version of these frames and of the messages that the process speaks, `accepts` the lowest that
 *   it still understands. Both sides then use the lower of the two versions that they speak, so that the members of a
 *   cluster can be upgraded one after the other; if one of them does not accept that, they refuse each other.
 * - `{"refused": KIND, "reason": WORDS}` tells the other side why it was refused, or that its id is used twice.
 * - `{"localToken": TOKEN}` asks: was it you who handed out this token on your local socket? If so, `{"localConfirmed": TOKEN}`
 *   is the answer (local-socket.ts).
 * - `{"witnessed": {"id", "life", "process"}}` reports that a process of the sender's host is gone (src/peers/witness.ts). It is sent only to
 *   a process that names `witness` among its features.
 * - `[ELECTION, MESSAGE]` is a message of an election.
 * - `[[ELECTION, MESSAGE], ...]` are several, in their order. It is sent only to a process that names `lists` among its features.
 */
import { deathReport, processIdentity, voterUrl } from '../../api/index.ts';
import {
  asObject,
  BadInput,
  clusterRecovery,
  electionName,
  flag,
  listOf,
  type Message,
  memberId,
  natural,
  show,
  text,
} from '../../core/index.ts';
import type { DeathReport, Identity, LinkRefusal, Refused } from '../../peers/index.ts';
import { localSocketName } from './local-socket.ts';

/** The version that this release speaks, and the lowest that it understands. */
const SPEAKS = 2;
const ACCEPTS = 2;

const LONGEST_NAME = 256;
const LONGEST_REASON = 400;
const LONGEST_RULES = 4000;

/** So many messages are in one frame at most. */
export const MOST_IN_LIST = 256;

const name = text(LONGEST_NAME);
/** A later release may have more. */
const features = listOf(name, 100);

export interface ElectionMessage {
  readonly election: string;
  readonly message: Message;
}

export type Frame =
  | { readonly type: 'hello'; readonly identity: Identity }
  | { readonly type: 'refused'; readonly refused: Refused }
  | { readonly type: 'local-token' | 'local-confirmed'; readonly token: string }
  | { readonly type: 'witnessed'; readonly report: DeathReport }
  | { readonly type: 'messages'; readonly messages: readonly ElectionMessage[] }
  | { readonly type: 'bad'; readonly refused: Refused };

export function encodeMessage(election: string, message: Message): string {
  return JSON.stringify([election, message]);
}

/** Several messages, each as it is encoded alone. */
export function encodeMessages(frames: readonly string[]): string {
  return frames.length === 1 ? frames[0]! : `[${frames.join()}]`;
}

/** How many bytes a frame of these messages has beside them. */
export function bytesAround({ length }: readonly ElectionMessage[]): number {
  return length === 1 ? 0 : length + 1;
}

export function encodeHello(identity: Identity): string {
  return JSON.stringify({ caucus: SPEAKS, accepts: ACCEPTS, ...identity });
}

export function encodeRefused({ kind, reason }: Refused): string {
  return JSON.stringify({ refused: kind, reason });
}

export function encodeLocalToken(token: string): string {
  return JSON.stringify({ localToken: token });
}

export function encodeLocalConfirmed(token: string): string {
  return JSON.stringify({ localConfirmed: token });
}

export function encodeWitnessed(report: DeathReport): string {
  return JSON.stringify({ witnessed: report });
}

/** Reads any frame. One that cannot be read becomes `bad`, with the reason in words. */
export function readFrame(frame: string | null): Frame {
  if (frame === null) return bad('not-json', 'a binary frame');
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return bad('not-json', 'a frame that is not JSON');
  }
  try {
    if (Array.isArray(value))
      return {
        type: 'messages',
        messages: Array.isArray(value[0]) ? readMessages(value) : [readMessage(value)],
      };
    const found = asObject(value, 'frame');
    if (Object.hasOwn(found, 'refused')) return readRefused(found);
    if (Object.hasOwn(found, 'localToken')) return readLocal('local-token', found.localToken);
    if (Object.hasOwn(found, 'localConfirmed')) return readLocal('local-confirmed', found.localConfirmed);
    if (Object.hasOwn(found, 'witnessed'))
      return { type: 'witnessed', report: deathReport.read(found.witnessed, 'witnessed') };
    return readHello(found);
  } catch (error) {
    if (error instanceof BadInput) return bad('bad-shape', error.message);
    throw error;
  }
}

function bad(kind: LinkRefusal, reason: string): Frame {
  return { type: 'bad', refused: { kind, reason } };
}

function readMessage(frame: readonly unknown[]): ElectionMessage {
  if (frame.length !== 2) throw new BadInput('frame', '[election, message]', `${frame.length} items`);
  const election = name.read(frame[0], 'election');
  const message = asObject(frame[1], 'message');
  name.read(message.type, 'message.type');
  return { election, message: message as object as Message };
}

/** If one of them cannot be read, none is. */
function readMessages(frame: readonly unknown[]): ElectionMessage[] {
  if (frame.length > MOST_IN_LIST)
    throw new BadInput('frame', `at most ${MOST_IN_LIST} messages`, `${frame.length}`);
  return frame.map((each, i) => {
    if (!Array.isArray(each)) throw new BadInput(`frame[${i}]`, '[election, message]', show(each));
    return readMessage(each);
  });
}

function readLocal(type: 'local-token' | 'local-confirmed', token: unknown): Frame {
  return { type, token: name.read(token, 'token') };
}

/** Unknown fields are accepted: a later version may send more. */
function readHello(found: Record<string, unknown>): Frame {
  if (found.prove !== undefined) return bad('unauthenticated', wantsProof(found.from));
  const speaks = natural.read(found.caucus, 'hello.caucus');
  // Before there were ranges, a process accepted only what it spoke.
  const accepts = found.accepts === undefined ? speaks : natural.read(found.accepts, 'hello.accepts');
  if (speaks < ACCEPTS || accepts > SPEAKS)
    return bad('other-version', otherVersion(claimed(found.id), speaks, accepts));
  if (found.life === undefined) {
    // Members of version 0.1 send no life. This error tells their operator what to do, not only what is missing.
    const expected = 'the name of a process; run the same version of caucus on all members';
    throw new BadInput('hello.life', expected, show(found.life));
  }
  const identity: Identity = {
    id: memberId.read(found.id, 'hello.id'),
    cluster: electionName.read(found.cluster, 'hello.cluster'),
    incarnation: natural.read(found.incarnation, 'hello.incarnation'),
    life: name.read(found.life, 'hello.life'),
    url: voterUrl.read(found.url, 'hello.url'),
    ...(found.rules === undefined ? {} : { rules: text(LONGEST_RULES).read(found.rules, 'hello.rules') }),
    ...(found.recovery === undefined
      ? {}
      : { recovery: clusterRecovery.read(found.recovery, 'hello.recovery') }),
    ...(found.features === undefined ? {} : { features: features.read(found.features, 'hello.features') }),
    ...(found.isBlank === undefined ? {} : { isBlank: flag.read(found.isBlank, 'hello.isBlank') }),
    process: found.process === null ? null : processIdentity.read(found.process, 'hello.process'),
    ...(found.localSocket === undefined
      ? {}
      : { localSocket: localSocketName.read(found.localSocket, 'hello.localSocket') }),
  };
  return { type: 'hello', identity };
}

/** Both sides log this sentence, so it says which of them has to be upgraded. */
function otherVersion(other: string, speaks: number, accepts: number): string {
  const older = speaks < ACCEPTS ? 'that process' : 'the process that refuses it';
  return `${other} speaks version ${speaks} of the messages between members and accepts ${accepts} or later, the process that refuses it speaks ${SPEAKS} and accepts ${ACCEPTS} or later; run a later release of caucus in ${older}`;
}

/** The other side has a secret, and this one has none. */
function wantsProof(from: unknown): string {
  return `${claimed(from)} has a secret and asks for a proof, and this member has no secret; ${SAME_SECRET}`;
}

/** Tells operators what to do if one of two members has no secret, or another one. */
export const SAME_SECRET = 'give all members the same secret (secretFile, --secret-file)';

/** A process by the id that it says it has. */
export function claimed(id: unknown): string {
  return id === null || id === undefined ? 'a process' : `a process that says it is member ${show(id)}`;
}

const KINDS: readonly string[] = [
  'not-json',
  'too-large',
  'bad-shape',
  'unknown-member',
  'other-cluster',
  'other-rules',
  'other-version',
  'same-id',
  'removed',
  'before-recovery',
  'other-recovery',
  'unauthenticated',
  'wrong-secret',
  'bad-seal',
] satisfies LinkRefusal[];

function readRefused(found: Record<string, unknown>): Frame {
  const kind = KINDS.includes(String(found.refused)) ? (found.refused as LinkRefusal) : 'bad-shape';
  const reason = text(100_000).read(found.reason, 'reason').slice(0, LONGEST_REASON);
  return { type: 'refused', refused: { kind, reason } };
}
