/** What the keys of an election in etcd say. */
import { type Json, withToken } from '../../core/index.ts';
import type { FirstValue } from '../lease/first-value.ts';
import type { Reading } from '../lease/lease-store.ts';
import { type Client, EtcdError } from './client.ts';
import { type Layout, proposerOf } from './layout.ts';
import type { FirstWrite, View } from './place.ts';
import type { KeyValue } from './wire.ts';

/** What we have read last of an election. */
export class Seen {
  /** The token of the leader that resigned last, as the watch has told. */
  resigned = '';
  readonly #client: Client;
  readonly #layout: Layout;
  /** The key that the leader holds, and its token. */
  #leader: { readonly key: string; readonly token: bigint } | null = null;
  #value = { version: 0, revision: 0n };

  constructor(client: Client, layout: Layout) {
    this.#client = client;
    this.#layout = layout;
  }

  async read(view: View, signal: AbortSignal): Promise<Reading> {
    const { first, published } = view;
    const before = this.#leader;
    this.#leader = first === null ? null : { key: first.key, token: first.createRevision };
    this.onPublished(published);
    const isOver = before !== null && before.token !== this.#leader?.token;
    return isOver
      ? { hasCrashed: await this.#hasCrashed(before.key, before.token, signal), ...readingOf(view) }
      : readingOf(view);
  }

  /** Returns the version. */
  onPublished(value: KeyValue | null): number {
    this.#value = { version: Number(value?.version ?? 0), revision: value?.modRevision ?? 0n };
    return this.#value.version;
  }

  /** Our own leadership has ended. */
  onReleased(): void {
    this.#leader = null;
  }

  /** Null: another participant leads, as far as we know, or the value is not the one that we have read last. */
  firstWrite(first: FirstValue | null): FirstWrite | null {
    const { version, revision } = this.#value;
    if (first === null || this.#leader !== null || first.after !== version) return null;
    return { json: JSON.stringify(first.value), after: revision };
  }

  /**
   * Has a leader whose key is gone lost its lease? One that resigns leaves a mark. Programs of another kind do not, but
   * their lease outlives their key for a moment.
   */
  async #hasCrashed(key: string, token: bigint, signal: AbortSignal): Promise<boolean> {
    const lease = this.#layout.leaseOf(key);
    if (lease === null || this.resigned === String(token)) return false;
    const isGone = await isLeaseGone(this.#client, lease, signal);
    return isGone && this.resigned !== String(token); // The mark may have come meanwhile.
  }
}

/**
 * A value that was written in the transaction that made its leader has its token in place of the revision: etcd cannot
 * write it, but it is the revision of that transaction.
 */
function readingOf({ first, published }: View): Reading {
  return {
    leader: first === null ? null : proposerOf(first.value, first.key),
    token: first?.createRevision ?? null,
    freeInMs: null, // Reading the other's lease would take another request.
    value: published === null ? null : publishedOf(withToken(published.value, published.modRevision)),
    version: Number(published?.version ?? 0),
  };
}

/** Has this lease expired, or was it revoked? False also if that is not known. */
async function isLeaseGone(client: Client, ID: string, signal: AbortSignal): Promise<boolean> {
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
