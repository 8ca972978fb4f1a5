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
  modifiedAt,
  noneIn,
  type Op,
  put,
  remove,
  revisionOf,
  type TxnAnswer,
  versionIs,
} from './wire.ts';

/** The state of an election that one transaction has read. */
export interface View {
  /** The candidate with the oldest key: the leader. */
  readonly first: KeyValue | null;
  readonly published: KeyValue | null;
  readonly revision: bigint;
}

/** A value that is published if we lead at once, and the one that it follows is still of this revision. */
export interface FirstWrite {
  readonly json: string;
  readonly after: bigint;
}

/** The state of our key, as of this revision. */
export interface Check {
  readonly isThere: boolean;
  readonly asked: string | null;
  readonly revision: bigint;
}

/** A second attempt is rare; more means that another program changes our key. */
const TRIES = 4;

/**
 * Our place in the queue of one election, for as long as one session lasts: a key, and what we know of it. A session
 * has exactly one per election, shared by all its users: two would use the same key without knowing of each other.
 *
 * A request that was abandoned may still reach etcd, so:
 * - a key that was granted or given up is never used again: it is removed and created again, with a new revision;
 * - a removal names the revision of the key;
 * - if a creation is in doubt, leaving also increments `leftKey`, and every creation is conditional on its count. A
 *   creation that arrives later fails, so no unknown key stays in the queue. Like all keys here, `leftKey` vanishes
 *   with the lease.
 */
export class Place implements Debt {
  readonly session: Session;
  readonly key: string;
  /** The create revision of our key, as far as we know; null if there is none. */
  created: bigint | null = null;
  /** Keys with a create revision up to this must not be used, or not again. */
  #spent = 0n;
  /** The key with which we have led last. */
  #led = 0n;
  /** A creation was sent and not answered: it may have happened, or may still happen. */
  #isInDoubt = false;
  /** We have begun to leave, and do not know yet whether it succeeded. */
  isLeaving = false;
  /** The revision at which we have left last. */
  leftAt = 0n;
  /** Another candidate was in the queue when we left, and leads from then on without writing anything. */
  hasHeir = true;
  #leftCount = 0n;
  /** Each call invalidates earlier ones: their late answers are ignored. */
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

  /**
   * Whether etcd may hold a key of ours, or may still get one. If so, this object must be kept while the session
   * lasts.
   */
  get mayBeIn(): boolean {
    return this.created !== null || this.#isInDoubt || this.isLeaving;
  }

  /** This key leads: it may not be granted a second time. */
  spend(created: bigint): void {
    this.#spent = created;
    this.#led = created;
  }

  /** What a leader that leaves writes, so that the others know that it did not crash. */
  #mark(): Op[] {
    if (this.#led !== this.created) return [];
    return [put(this.#layout.resignedKey, String(this.#led), this.session.lease)];
  }

  /** Makes sure that we are in the queue, and returns its state. */
  enter(signal: AbortSignal, first: FirstWrite | null = null): Promise<View> {
    return this.#exclusively(async (isVoid) => {
      for (let tries = 0; tries < TRIES; tries++) {
        if (this.isLeaving || (this.created !== null && this.created <= this.#spent)) {
          await this.#leave(signal, isVoid);
        }
        const view =
          this.created === null
            ? await this.#create(signal, isVoid, tries === 0 ? first : null)
            : await this.#look(signal, isVoid);
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

  /** Retries a leave that failed, unless another call is in flight. */
  async finishLeaving(signal: AbortSignal): Promise<void> {
    if (this.isLeaving && this.#active === 0) await this.leave(signal);
  }

  /** What shows whether our key still has this revision, and whether an operator requests our resignation. */
  readsOf(created: bigint): readonly [key: Op, asked: Op] {
    return [get(this.key), get(this.#layout.askedKey(created))];
  }

  async #create(signal: AbortSignal, isVoid: () => void, first: FirstWrite | null): Promise<View | null> {
    const leftKey = this.#layout.leftKey(this.session.leaseHex);
    const { prefix, prefixEnd, valueKey } = this.#layout;
    const wasInDoubt = this.#isInDoubt;
    this.#isInDoubt = true;
    const leads = first === null ? [] : [noneIn(prefix, prefixEnd), modifiedAt(valueKey, first.after)];
    const value = first === null ? get(valueKey) : put(valueKey, first.json);
    let answer: TxnAnswer;
    try {
      answer = await this.#txn(
        [createdAt(this.key, 0n), versionIs(leftKey, this.#leftCount), ...leads],
        [
          put(this.key, proposalOf(this.#name), this.session.lease),
          getFirst(prefix, prefixEnd),
          value,
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
    if (answer.succeeded) {
      this.created = revision;
      return { first: found(answer, 1), published: found(answer, 3), revision };
    }
    const view = { first: found(answer, 1), published: found(answer, 2), revision };
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
    this.hasHeir = true;
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
      const { prefix, prefixEnd } = this.#layout;
      const ops = [remove(this.key), getFirst(prefix, prefixEnd), ...this.#mark()];
      const answer = await this.#txn([createdAt(this.key, this.created)], ops, [], signal);
      isVoid();
      this.leftAt = revisionOf(answer.header);
      this.hasHeir = found(answer, 1) !== null;
    }
    return true;
  }

  async #leaveInDoubt(signal: AbortSignal, isVoid: () => void): Promise<boolean> {
    const leftKey = this.#layout.leftKey(this.session.leaseHex);
    const answer = await this.#txn(
      [versionIs(leftKey, this.#leftCount)],
      [remove(this.key), put(leftKey, this.#name, this.session.lease), ...this.#mark()],
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
