/** What the keys of an election in etcd say. */
import type { Json } from '../../core/index.ts';
import type { Reading } from '../lease/lease-store.ts';
import { type Client, EtcdError } from './client.ts';
import { proposerOf } from './layout.ts';
import type { View } from './place.ts';

/** The key that a leader holds, and its token. */
export interface LeaderKey {
  readonly key: string;
  readonly token: bigint;
}

export function leaderIn({ first }: View): LeaderKey | null {
  return first === null ? null : { key: first.key, token: first.createRevision };
}

export function readingOf({ first, published }: View): Reading {
  return {
    leader: first === null ? null : proposerOf(first.value, first.key),
    token: first?.createRevision ?? null,
    freeInMs: null, // Reading the other's lease would take another request.
    value: published === null ? null : publishedOf(published.value),
    version: Number(published?.version ?? 0),
  };
}

/** Has this lease expired, or was it revoked? False also if that is not known. */
export async function isLeaseGone(client: Client, ID: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { TTL } = await client.call<{ TTL?: string }>('/v3/lease/timetolive', { ID }, signal);
    return Number(TTL ?? 0) <= 0;
  } catch (error) {
    return error instanceof EtcdError && error.isLeaseGone;
  }
}

function publishedOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text; // Another program has written it.
  }
}
