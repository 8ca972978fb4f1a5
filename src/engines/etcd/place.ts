import type { Client } from './client.ts';
import { EtcdError } from './client.ts';
import { type Layout, proposalOf } from './layout.ts';
import type { Debt, Session } from './session.ts';
import {
  type Compare,
  createdAt,
  found,
  get,
  getFirst,
  type KeyValue,
  type Op,
  put,
  remove,
  revisionOf,
  type TxnAnswer,
  versionIs,
} from './wire.ts';

/** What one transaction has found of an election. */
export interface View {
  /** The candidate that came first: the leader. */
  readonly first: KeyValue | null;
  readonly published: KeyValue | null;
  readonly revision: bigint;
}

/** What became of our key, as of this revision. */
interface Check {
  readonly isThere: boolean;
  readonly asked: string | null;
  readonly revision: bigint;
}

/** More than once is rare, and means that another program changes our key. */
const TRIES = 4;

/**
 * Our place in the queue of one election, for as long as one session lasts: a key, and what we know of it. A session has one for
 * each election and no more, for all its users: two that know nothing of each other would use the same key.
 *
 * A request that was given up may still come to etcd, so:
 * - a key that was granted or given up is never used again: it is removed, and another one created, which has a new revision;
 * - a removal is for the one key of this revision;
 * - where a creation is in doubt, leaving also counts up `leftKey`, and every creation is conditional on its count. One that comes
 *   after that fails, so no unknown key stands in the queue. Like everything here it goes away with the lease.
 */
export class Place implements Debt {
  readonly session: Session;
  readonly key: string;
  /** The create revision of our key, as far as we know it is there. */
  created: bigint | null = null;
  /** The newest create revision that must not be used, or not again. */
  #spent = 0n;
  /** A creation was sent and not answered: it may have come, or may still. */
  #isInDoubt = false;
  /** We have begun to leave, and do not know yet that we are out. */
  isLeaving = false;
  #leftCount = 0n;
  /** Each call of ours makes those before it void: what they still learn is not written down. */
  #calls = 0;
  #active = 0;

  readonly #client: Client;
  readonly #layout: Layout;
  readonly #name: string;

  constructor(client: Client, layout: Layout, name: string, session: Session) {
    this.#client = client;
    this.#layout = layout;
    this.#name = name;
    this.session = session;
    this.key = layout.candidateKey(session.leaseHex);
  }

  /** Whether etcd may hold a key of ours, or come to hold one: then this must not be forgotten while the session lasts. */
  get mayBeIn(): boolean {
    return this.created !== null || this.#isInDoubt || this.isLeaving;
  }

  /** What we now hold may not be taken a second time. */
  spend(created: bigint): void {
    this.#spent = created;
  }

  /** Sees to it that we are in the queue, and tells how it stands. */
  enter(signal: AbortSignal): Promise<View> {
    return this.#exclusively(async (isVoid) => {
      for (let tries = 0; tries < TRIES; tries++) {
        if (this.isLeaving || (this.created !== null && this.created <= this.#spent)) {
          await this.#leave(signal, isVoid);
        }
        const view =
          this.created === null ? await this.#create(signal, isVoid) : await this.#look(signal, isVoid);
        if (view !== null) return view;
      }
      throw new Error('another program changes our key');
    });
  }

  /** Takes us out of the queue. If it rejects, call it again: we may still be in. */
  async leave(signal: AbortSignal): Promise<void> {
    if (!this.mayBeIn || this.session.isLost) return;
    await this.#exclusively((isVoid) => this.#leave(signal, isVoid));
  }

  /** Ends a leave that has failed, if nothing else goes on here. */
  async finishLeaving(signal: AbortSignal): Promise<void> {
    if (this.isLeaving && this.#active === 0) await this.leave(signal);
  }

  /** Whether our key is still the one of this revision, and why an operator asks for it, if one does. */
  async check(created: bigint, signal: AbortSignal): Promise<Check> {
    const ops = [get(this.key), get(this.#layout.askedKey(created))];
    const answer = await this.#txn([], ops, [], signal);
    const isThere = found(answer, 0)?.createRevision === created;
    return { isThere, asked: found(answer, 1)?.value ?? null, revision: revisionOf(answer.header) };
  }

  async #create(signal: AbortSignal, isVoid: () => void): Promise<View | null> {
    const leftKey = this.#layout.leftKey(this.session.leaseHex);
    const { prefix, prefixEnd, valueKey } = this.#layout;
    const wasInDoubt = this.#isInDoubt;
    this.#isInDoubt = true;
    let answer: TxnAnswer;
    try {
      answer = await this.#txn(
        [createdAt(this.key, 0n), versionIs(leftKey, this.#leftCount)],
        [
          put(this.key, proposalOf(this.#name), this.session.lease),
          getFirst(prefix, prefixEnd),
          get(valueKey),
        ],
        [get(this.key), getFirst(prefix, prefixEnd), get(valueKey), get(leftKey)],
        signal,
      );
    } catch (error) {
      isVoid();
      if (error instanceof EtcdError && error.isDefinite) this.#isInDoubt = wasInDoubt;
      throw error;
    }
    isVoid();
    this.#isInDoubt = wasInDoubt;
    const revision = revisionOf(answer.header);
    const view = { first: found(answer, 1), published: found(answer, 2), revision };
    if (answer.succeeded) {
      this.created = revision;
      return view;
    }
    this.#leftCount = found(answer, 3)?.version ?? 0n;
    this.created = found(answer, 0)?.createRevision ?? null;
    return this.created !== null && this.created > this.#spent ? view : null;
  }

  async #look(signal: AbortSignal, isVoid: () => void): Promise<View | null> {
    const { prefix, prefixEnd, valueKey } = this.#layout;
    const ops = [get(this.key), getFirst(prefix, prefixEnd), get(valueKey)];
    const answer = await this.#txn([], ops, [], signal);
    isVoid();
    if (found(answer, 0)?.createRevision !== this.created) {
      this.created = null;
      return null;
    }
    return { first: found(answer, 1), published: found(answer, 2), revision: revisionOf(answer.header) };
  }

  async #leave(signal: AbortSignal, isVoid: () => void): Promise<void> {
    this.isLeaving = true;
    if (this.created !== null && this.created > this.#spent) this.#spent = this.created;
    for (let tries = 0; tries < TRIES; tries++) {
      const isOut = this.#isInDoubt
        ? await this.#leaveInDoubt(signal, isVoid)
        : await this.#leaveFor(signal, isVoid);
      if (!isOut) continue;
      this.created = null;
      this.#isInDoubt = false;
      this.isLeaving = false;
      return;
    }
    throw new Error('another program changes our key');
  }

  async #leaveFor(signal: AbortSignal, isVoid: () => void): Promise<boolean> {
    if (this.created !== null) {
      await this.#txn([createdAt(this.key, this.created)], [remove(this.key)], [], signal);
      isVoid();
    }
    return true;
  }

  async #leaveInDoubt(signal: AbortSignal, isVoid: () => void): Promise<boolean> {
    const leftKey = this.#layout.leftKey(this.session.leaseHex);
    const answer = await this.#txn(
      [versionIs(leftKey, this.#leftCount)],
      [remove(this.key), put(leftKey, this.#name, this.session.lease)],
      [get(leftKey)],
      signal,
    );
    isVoid();
    this.#leftCount = answer.succeeded ? this.#leftCount + 1n : (found(answer, 0)?.version ?? 0n);
    return answer.succeeded === true;
  }

  async #exclusively<T>(act: (isVoid: () => void) => Promise<T>): Promise<T> {
    this.#calls += 1;
    const mine = this.#calls;
    const isVoid = (): void => {
      if (this.#calls !== mine) throw new Error('another call came after this one');
    };
    this.#active += 1;
    try {
      return await act(isVoid);
    } finally {
      this.#active -= 1;
    }
  }

  async #txn(
    compare: readonly Compare[],
    success: readonly Op[],
    failure: readonly Op[],
    signal: AbortSignal,
  ): Promise<TxnAnswer> {
    try {
      return await this.#client.call<TxnAnswer>('/v3/kv/txn', { compare, success, failure }, signal);
    } catch (error) {
      if (error instanceof EtcdError && error.isLeaseGone) this.session.lose();
      throw error;
    }
  }
}
