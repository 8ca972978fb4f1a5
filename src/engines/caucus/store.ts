import type { Json } from '../../core/index.ts';
import type { ResignationRequest } from '../../election/index.ts';
import { done, type LeaseReading, leaseReading, published, renewal, taken } from '../../leases/index.ts';
import type { FirstValue } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { Client } from './client.ts';
import type { Watches } from './watches.ts';

export type CaucusGrant = Grant;

/** What the stores of an engine share. */
interface StoreAround {
  readonly client: Client;
  readonly watches: Watches;
  /** Unique to this engine object, and secret: it proves that a request is from the holder. */
  readonly session: string;
  readonly leaseMs: number;
  /** A number that no request of this session had. */
  readonly nextAttempt: () => number;
}

/** What there is to read where no program has taken an election yet. */
const NEVER_HELD: LeaseReading = { leader: null, token: null, freeInMs: null, value: null, version: 0 };

/** One election's lease, kept by the members. */
export class CaucusStore implements LeaseStore<CaucusGrant> {
  readonly #around: StoreAround;
  readonly #election: string;
  readonly #name: string;
  /** Members of earlier versions refuse a request with a first value. */
  #opens = false;

  constructor(around: StoreAround, election: string, name: string) {
    this.#around = around;
    this.#election = election;
    this.#name = name;
  }

  async take(
    { signal }: Call,
    opening: FirstValue | null = null,
  ): Promise<{ grant: CaucusGrant | null; reading: Reading }> {
    const { client, session, leaseMs, nextAttempt } = this.#around;
    const election = this.#election;
    const first = this.#opens && opening !== null ? { first: opening } : {};
    const body = (): object => ({
      ...{ election, session, attempt: nextAttempt(), name: this.#name, leaseMs },
      ...first,
    });
    this.#opens = false; // If it fails, another member may be the manager by then.
    const { token, reading } = await client.call('/leases/take', body, taken, signal);
    return { grant: token === null ? null : { token: BigInt(token) }, reading: this.#readingOf(reading) };
  }

  async renew(grant: CaucusGrant, { signal }: Call): Promise<CaucusGrant | null> {
    const { held, asked } = await this.#around.client.call(
      '/leases/renew',
      () => this.#of(grant),
      renewal,
      signal,
    );
    if (!held) return null;
    return { token: grant.token, ...(asked === null ? {} : { asked }) };
  }

  async release(grant: CaucusGrant, { signal }: Call): Promise<void> {
    await this.#around.client.call('/leases/release', () => this.#of(grant), done, signal);
  }

  async publish(grant: CaucusGrant, value: Json, { signal }: Call): Promise<number | null> {
    const body = (): object => ({ ...this.#of(grant), value });
    const { version } = await this.#around.client.call('/leases/publish', body, published, signal);
    return version;
  }

  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    const body = (): object => ({ election: this.#election, token: String(token), reason });
    await this.#around.client.call('/leases/ask', body, done, signal);
  }

  async read({ signal }: Call): Promise<Reading> {
    const body = (): object => ({ election: this.#election });
    const answer = await this.#around.client.call('/leases/read', body, leaseReading, signal, NEVER_HELD);
    return this.#readingOf(answer);
  }

  isOpening(): boolean {
    return this.#around.client.isOpening;
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    return this.#around.watches.add(this.#election, { onNews: hint });
  }

  #of({ token }: CaucusGrant): { election: string; session: string; token: string } {
    return { election: this.#election, session: this.#around.session, token: String(token) };
  }

  #readingOf({ token, opens = false, ...rest }: LeaseReading): Reading {
    this.#opens = opens;
    return { ...rest, token: token === null ? null : BigInt(token) };
  }
}
