/**
 * What travels over a link, one JSON text per WebSocket message:
 *
 * - `{"caucus": 2, ...Identity}`, the hello, is the first frame each way. The side that dialled says it first.
 * - `{"refused": KIND, "reason": WORDS}` tells the other side why it was refused, or that its id is used twice.
 * - `{"localToken": TOKEN}` asks: was it you who handed out this token on your local socket? If so, `{"localConfirmed": TOKEN}`
 *   is the answer (local-socket.ts).
 * - `[ELECTION, MESSAGE]` is everything else.
 */
import { voterUrl } from '../../api/index.ts';
import {
  asObject,
  BadInput,
  electionName,
  type MemberId,
  type Message,
  memberId,
  natural,
  show,
  text,
} from '../../core/index.ts';
import type { Identity, LinkRefusal, ProcessIdentity } from './links.ts';
import { localSocketName } from './local-socket.ts';

/** The version of the format above. */
const VERSION = 2;

const LONGEST_NAME = 256;
const LONGEST_REASON = 400;
const LONGEST_RULES = 4000;

export interface Refused {
  readonly kind: LinkRefusal;
  readonly reason: string;
}

export type Frame =
  | { readonly type: 'hello'; readonly identity: Identity }
  | { readonly type: 'refused'; readonly refused: Refused }
  | { readonly type: 'local-token' | 'local-confirmed'; readonly token: string }
  | { readonly type: 'message'; readonly election: string; readonly message: Message }
  | { readonly type: 'bad'; readonly refused: Refused };

export function encodeMessage(election: string, message: Message): string {
  return JSON.stringify([election, message]);
}

export function encodeHello(identity: Identity): string {
  return JSON.stringify({ caucus: VERSION, ...identity });
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

/** Reads any frame. What cannot be read comes back as `bad`, with the reason in words. */
export function readFrame(frame: string | null): Frame {
  if (frame === null) return bad('not-json', 'a binary frame');
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return bad('not-json', 'a frame that is not JSON');
  }
  try {
    if (Array.isArray(value)) return readMessage(value);
    const found = asObject(value, 'frame');
    if (Object.hasOwn(found, 'refused')) return readRefused(found);
    if (Object.hasOwn(found, 'localToken')) return readLocal('local-token', found.localToken);
    if (Object.hasOwn(found, 'localConfirmed')) return readLocal('local-confirmed', found.localConfirmed);
    return readHello(found);
  } catch (error) {
    if (error instanceof BadInput) return bad('bad-shape', error.message);
    throw error;
  }
}

function bad(kind: LinkRefusal, reason: string): Frame {
  return { type: 'bad', refused: { kind, reason } };
}

function readMessage(frame: readonly unknown[]): Frame {
  if (frame.length !== 2) throw new BadInput('frame', '[election, message]', `${frame.length} items`);
  const election = text(LONGEST_NAME).read(frame[0], 'election');
  const message = asObject(frame[1], 'message');
  text(LONGEST_NAME).read(message.type, 'message.type');
  return { type: 'message', election, message: message as object as Message };
}

function readLocal(type: 'local-token' | 'local-confirmed', token: unknown): Frame {
  return { type, token: text(LONGEST_NAME).read(token, 'token') };
}

/** Fields that it does not know are let through: a later version may say more of itself. */
function readHello(found: Record<string, unknown>): Frame {
  if (found.caucus !== VERSION) {
    throw new BadInput('hello.caucus', `version ${VERSION}`, show(found.caucus));
  }
  if (found.life === undefined) {
    // Members of 0.1 say no life. Told apart here, their operator reads what to do and not only what is missing.
    const expected = 'the name of a process; run the same version of caucus on all members';
    throw new BadInput('hello.life', expected, show(found.life));
  }
  const identity: Identity = {
    id: memberId.read(found.id, 'hello.id'),
    cluster: electionName.read(found.cluster, 'hello.cluster'),
    incarnation: natural.read(found.incarnation, 'hello.incarnation'),
    life: text(LONGEST_NAME).read(found.life, 'hello.life'),
    url: voterUrl.read(found.url, 'hello.url'),
    ...(found.rules === undefined ? {} : { rules: text(LONGEST_RULES).read(found.rules, 'hello.rules') }),
    process: found.process === null ? null : readProcess(asObject(found.process, 'hello.process')),
    ...(found.localSocket === undefined
      ? {}
      : { localSocket: localSocketName.read(found.localSocket, 'hello.localSocket') }),
  };
  return { type: 'hello', identity };
}

function readProcess(found: Record<string, unknown>): ProcessIdentity {
  const words = text(LONGEST_NAME);
  return {
    bootId: words.read(found.bootId, 'hello.process.bootId'),
    pidNamespace: words.read(found.pidNamespace, 'hello.process.pidNamespace'),
    pid: natural.read(found.pid, 'hello.process.pid'),
    startTime: words.read(found.startTime, 'hello.process.startTime'),
  };
}

const KINDS: readonly string[] = [
  'not-json',
  'too-large',
  'bad-shape',
  'unknown-member',
  'other-cluster',
  'other-rules',
  'same-id',
] satisfies LinkRefusal[];

function readRefused(found: Record<string, unknown>): Frame {
  const kind = KINDS.includes(String(found.refused)) ? (found.refused as LinkRefusal) : 'bad-shape';
  const reason = text(100_000).read(found.reason, 'reason').slice(0, LONGEST_REASON);
  return { type: 'refused', refused: { kind, reason } };
}

/** Why this process may not be linked with us, or null. */
export function objection(own: Identity, other: Identity, known: (id: MemberId) => boolean): Refused | null {
  if (other.cluster !== own.cluster) {
    const reason = `${named(other)} belongs to the cluster "${other.cluster}", this is "${own.cluster}"`;
    return { kind: 'other-cluster', reason };
  }
  if (other.id === own.id) {
    const reason = isSameProcess(own, other)
      ? `the URL of a peer leads back to member ${own.id} itself (${own.url})`
      : sharedId(own, other);
    return { kind: 'same-id', reason };
  }
  if (own.rules !== undefined && other.rules !== undefined && own.rules !== other.rules) {
    const reason = `${named(other)} has other settings than ${named(own)}: ${differences([other.id, other.rules], [own.id, own.rules])}; give all members the same protocol, timing and options`;
    return { kind: 'other-rules', reason };
  }
  if (!known(other.id)) {
    return {
      kind: 'unknown-member',
      reason: `${named(other)} is not among the peers that ${named(own)} is configured with`,
    };
  }
  return null;
}

type Rules = readonly [id: MemberId, rules: string];

/** In which settings two members differ, as far as they can be read. Both of them log this sentence, so it names them. */
function differences(theirs: Rules, ours: Rules): string {
  const members = [theirs, ours].map(([id, rules]) => ({ id, settings: new Map(settingsOf(rules)) }));
  const names = new Set(members.flatMap(({ settings }) => [...settings.keys()]));
  return [...names]
    .map((name) => ({ name, values: members.map(({ settings }) => settings.get(name) ?? 'an unknown one') }))
    .filter(({ values: [there, here] }) => there !== here)
    .map(
      ({ name, values }) =>
        `${name}: ${values.map((value, i) => `${members[i]!.id} has ${value}`).join(', ')}`,
    )
    .join('; ');
}

function settingsOf(rules: string): [name: string, value: string][] {
  try {
    const { protocol, timing, options } = asObject(JSON.parse(rules), 'rules');
    return Object.entries({ protocol, ...(timing as object), ...(options as object) }).map(
      ([name, value]) => [name, value === null ? 'the default' : JSON.stringify(value)],
    );
  } catch {
    return [['rules', rules.slice(0, LONGEST_NAME)]];
  }
}

export function sharedId(one: Identity, other: Identity): string {
  return `two live processes say that they are member ${one.id}: ${placed(one)} and ${placed(other)}; stop one of them`;
}

/**
 * Neither clocks nor pids are enough: a clock can be set back, and two hosts have the same pids. But a life is known to all peers, so
 * a process that says one must also be where that process is.
 */
export function isSameProcess(one: Identity, other: Identity): boolean {
  return one.life === other.life && whereabouts(one) === whereabouts(other);
}

function whereabouts({ process, localSocket }: Identity): string {
  if (process === null) return JSON.stringify(localSocket ?? null);
  const { bootId, pidNamespace, pid, startTime } = process;
  return JSON.stringify([bootId, pidNamespace, pid, startTime, localSocket ?? null]);
}

export function named(identity: Identity): string {
  return `member ${identity.id} at ${identity.url}`;
}

export function placed({ url, incarnation, process }: Identity): string {
  return `${url} (incarnation ${incarnation}${process === null ? '' : `, pid ${process.pid}`})`;
}
