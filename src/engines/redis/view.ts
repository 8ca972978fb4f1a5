import type { Published } from './known.ts';

/** The owner of a lease: one attempt of one engine to take it. No two are equal. */
export interface Claim {
  readonly holder: string;
  readonly attempt: number;
}

/** The state of an election at one master. */
export interface View {
  /** The request was granted just now. */
  readonly isGranted: boolean;
  readonly lease: Lease | null;
  /** The greatest token that it knows of. */
  readonly fence: bigint;
  readonly published: Published | null;
}

export interface Lease {
  readonly claim: string;
  readonly leader: string;
  /** Null: it is being taken. */
  readonly token: bigint | null;
  /** Infinity: an operator removed its expiry. */
  readonly freeInMs: number;
  /** Changes with every renewal; null if the master does not tell. */
  readonly mark: string | null;
  /** How long it lasts after a renewal; null if its holder has not written that. */
  readonly lastsMs: number | null;
}

export type Reply = readonly (string | number | null)[];

/** Parses the answer of a script. Fields that we did not write count as missing. */
export function viewOf(reply: Reply): View {
  const [isGranted, holder, attempt, leader, token, ttlMs, fence, value, version, valueToken, lasts, mark] =
    reply;
  const isHeld = typeof holder === 'string';
  return {
    isGranted: isGranted === 1,
    lease: isHeld
      ? {
          claim: `${holder} ${attempt}`,
          leader: String(leader ?? holder),
          token: countOf(token),
          freeInMs: Number(ttlMs) < 0 ? Number.POSITIVE_INFINITY : Number(ttlMs) + 1,
          mark: typeof mark === 'string' && mark !== '' ? mark : null,
          lastsMs: Number(countOf(lasts) ?? 0n) || null,
        }
      : null,
    fence: countOf(fence) ?? 0n,
    published: publishedOf(value, version, valueToken),
  };
}

type Field = string | number | null | undefined;

function publishedOf(value: Field, version: Field, token: Field): Published | null {
  const count = countOf(token);
  if (typeof value !== 'string' || count === null || countOf(version) === null) return null;
  try {
    return { json: value, value: JSON.parse(value), version: Number(version), token: count };
  } catch {
    return null;
  }
}

/**
 * Scripts use floating point, so a greater number cannot be ours: a participant that trusted it could never lead
 * again.
 */
function countOf(field: Field): bigint | null {
  if (typeof field !== 'string' || !/^\d{1,16}$/.test(field)) return null;
  return Number.isSafeInteger(Number(field)) ? BigInt(field) : null;
}
