import type { Json } from '../../core/index.ts';

/**
 * The object of `coordination.k8s.io/v1` that represents an election. Other programs write it too, so any field may
 * be missing or null.
 */
export interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: LeaseMetadata;
  readonly spec?: LeaseSpec | null;
}

export interface LeaseMetadata {
  readonly name: string;
  readonly namespace: string;
  /** If a request contains it, the API server refuses to write to another object of the same name. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>> | null;
}

/** Every field that client-go knows. */
export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
  readonly strategy?: string | null;
  readonly preferredHolder?: string | null;
}

/** Our annotations. Other electors leave annotations alone, so each names the holder that wrote it. */
const TOKEN = 'caucus/token';
const HOLDER = 'caucus/holder';
const VALUE = 'caucus/value';
const VERSION = 'caucus/version';
const ASKED = 'caucus/asked';

/** Kubernetes allows 256 KiB of annotations on one object, and every renewal sends them again. */
const LONGEST_VALUE = 64 * 1024;

/** Empty: no holder. */
export function holderOf({ spec }: Lease): string {
  return spec?.holderIdentity ?? '';
}

/** A holder's name and the incarnation of its process, as electors of client-go write it. */
export function identityOf(name: string, incarnation: string): string {
  return `${name}_${incarnation}`;
}

/** The holder for people: its name if it is a participant of Caucus, else its whole identity. */
export function leaderOf(lease: Lease): string {
  const holder = holderOf(lease);
  return isCaucus(lease) ? holder.slice(0, holder.lastIndexOf('_')) : holder;
}

/** The holder's token; null if the holder is not a participant of Caucus. */
export function tokenOf(lease: Lease): bigint | null {
  return isCaucus(lease) ? storedToken(lease) : null;
}

function isCaucus(lease: Lease): boolean {
  const holder = holderOf(lease);
  return holder.includes('_') && lease.metadata.annotations?.[HOLDER] === holder;
}

/** Resource versions are 64 bits long, and so are tokens. */
const GREATEST_TOKEN = 2n ** 63n - 1n;

function storedToken({ metadata }: Lease): bigint | null {
  const text = metadata.annotations?.[TOKEN] ?? '';
  if (!/^\d{1,19}$/.test(text)) return null;
  return BigInt(text) <= GREATEST_TOKEN ? BigInt(text) : null;
}

/** The resource version as a number. Those of one resource can be compared (KEP-5504). */
export function revisionOf({ metadata }: Pick<Lease, 'metadata'>): bigint {
  const text = metadata.resourceVersion ?? '';
  if (/^[1-9]\d*$/.test(text)) return BigInt(text);
  throw new Error(`the resource version of the Lease ${metadata.name} is no number, so it cannot be a token`);
}

/**
 * The token of the participant that replaces exactly this state: its resource version. At most one update can replace
 * a version, and it is larger than all earlier ones, even if the Lease was deleted in between. If the Lease was
 * copied to another cluster with lower versions, tokens continue after the last one. If the last token is damaged, no
 * safe next one is known.
 */
export function nextToken(lease: Lease): bigint {
  const revision = revisionOf(lease);
  const last = storedToken(lease);
  const isThere = lease.metadata.annotations?.[TOKEN] !== undefined;
  if (last === GREATEST_TOKEN || (last === null && isThere)) {
    const what = `the annotation ${TOKEN} of the Lease ${lease.metadata.name} holds no token that could be followed`;
    throw new Error(`${what}: set it to the last one that was used, or remove it`);
  }
  return last !== null && last >= revision ? last + 1n : revision;
}

/** Coordinated leader election: the control plane chooses the holder. */
export function isManaged({ spec }: Lease): boolean {
  return Boolean(spec?.strategy) || Boolean(spec?.preferredHolder);
}

export function withToken(token: bigint, holder: string): Record<string, string> {
  return { [TOKEN]: String(token), [HOLDER]: holder };
}

/** The value that was published last, and its version. */
export function publishedOf({ metadata }: Lease): { value: Json; version: number } {
  const version = Number(metadata.annotations?.[VERSION] ?? 0);
  const text = metadata.annotations?.[VALUE];
  if (!Number.isSafeInteger(version) || version < 1 || text === undefined) return { value: null, version: 0 };
  try {
    return { value: JSON.parse(text) as Json, version };
  } catch {
    return { value: null, version };
  }
}

export function withValue(value: Json, version: number): Record<string, string> {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > LONGEST_VALUE)
    throw new Error(`a value of ${bytes} bytes is too long: at most ${LONGEST_VALUE} fit on a Lease`);
  return { [VALUE]: text, [VERSION]: String(version) };
}

/**
 * The reason if an operator requests that the holder of this token resign; else null. A request for another token is
 * ignored.
 */
export function askedOf({ metadata }: Lease, token: bigint): string | null {
  const text = metadata.annotations?.[ASKED] ?? '';
  const mark = `${token} `;
  return text.startsWith(mark) ? text.slice(mark.length) : null;
}

export function withRequest(token: bigint, reason: string): Record<string, string> {
  return { [ASKED]: `${token} ${reason}` };
}

/** A time as the API server reads it: with exactly six digits after the second. */
export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** If the clock was set back by more than this, its new time is used. */
const SET_BACK_MS = 60_000;

/**
 * The wall clock's time, for people. It is never compared with a clock, but its change is how others see that we
 * live. So it always differs from the last one, whatever the clock does. Electors of client-go ignore fractions of a
 * second: a holder that renews at most once a second changes the second too.
 */
export function timeAfter(before: string | null | undefined, inSeconds: boolean): string {
  const nowMs = Date.now();
  const beforeMs = Date.parse(before ?? '');
  if (Number.isNaN(beforeMs) || nowMs < beforeMs - SET_BACK_MS) return microTime(nowMs);
  const nextMs = inSeconds ? (Math.floor(beforeMs / 1000) + 1) * 1000 : beforeMs + 1;
  return microTime(Math.max(nowMs, nextMs));
}
