import type { Json } from '../../core/index.ts';
import type { ResignationRequest } from '../../election/index.ts';
import { done, type LeaseReading, leaseReading, published, renewal, taken } from '../../leases/index.ts';
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

  constructor(around: StoreAround, election: string, name: string) {
    this.#around = around;
    this.#election = election;
    this.#name = name;
  }

  async take({ signal }: Call): Promise<{ grant: CaucusGrant | null; reading: Reading }> {
    const { client, session, leaseMs, nextAttempt } = this.#around;
    const election = this.#election;
    const body = (): object => ({ election, session, attempt: nextAttempt(), name: this.#name, leaseMs });
    const { token, reading } = await client.call('/leases/take', body, taken, signal);
    return { grant: token === null ? null : { token: BigInt(token) }, reading: readingOf(reading) };
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
    return readingOf(await this.#around.client.call('/leases/read', body, leaseReading, signal, NEVER_HELD));
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
}

function readingOf({ token, ...rest }: LeaseReading): Reading {
  return { ...rest, token: token === null ? null : BigInt(token) };
}
