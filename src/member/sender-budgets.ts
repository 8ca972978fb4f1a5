import type { MemberId, Message } from '../core/index.ts';
import type { Clock } from './clock.ts';

/** A token bucket: fills up over time to its capacity. */
export class Bucket {
  readonly #clock: Clock;
  readonly #holds: () => number;
  readonly #perSecond: () => number;
  #left: number | null = null;
  #atMs = 0;

  constructor(clock: Clock, holds: () => number, perSecond: () => number) {
    this.#clock = clock;
    this.#holds = holds;
    this.#perSecond = perSecond;
  }

  get left(): number {
    const nowMs = this.#clock.now();
    const before = this.#left ?? this.#holds();
    const gained = this.#left === null ? 0 : ((nowMs - this.#atMs) / 1000) * this.#perSecond();
    this.#left = Math.min(this.#holds(), before + gained);
    this.#atMs = nowMs;
    return this.#left;
  }

  /** Is there at least so much? It only fills up, so what is left of the last look may be enough. */
  has(amount: number): boolean {
    return (this.#left !== null && this.#left >= amount) || this.left >= amount;
  }

  get isFull(): boolean {
    return this.left >= this.#holds();
  }

  /** The cost is deducted even if there was less: it has already been spent. */
  take(amount: number): void {
    this.#left = this.left - amount;
  }
}

/**
 * The maximum charge for one save, in milliseconds. The sender caused the save, but not the slowness of the disk.
 * Example without a maximum: the disks of two members need 1 s for each save, for some seconds. Each of these saves
 * would keep the other member from being elected for 10 s, long after the disks are fast again, and there would be no
 * leader meanwhile.
 */
const MOST_A_SAVE = 20;

/** How many times as much as another sender the leader may cause. */
const LEADER_TIMES = 9;

/** Voters that register under ever new names must not fill the memory. */
const MOST_SENDERS = 1000;

/**
 * How many saves each sender may cause. A save blocks the member for as long as the disk takes, so a sender that
 * causes one with every message would keep it from everything else. An honest member causes a handful in an election,
 * and two with every value that it publishes.
 *
 * A leader may publish one value after the other, for any number of programs, and each waits for the disks of a
 * majority: so the leader that this member follows, over its connection, may use the disk nearly all the time.
 * Otherwise a busy lease manager is not heard for a second now and then, and loses its leadership by that.
 */
export class SenderBudgets {
  readonly #clock: Clock;
  readonly #elections: () => number;
  readonly #saves = new Map<MemberId, Bucket>();
  readonly #leaders = new Map<MemberId, Bucket>();
  /** Messages of leaders that this member follows, over their connections: one set for all elections. */
  readonly ofLeader: WeakSet<Message> = new WeakSet();

  /** `elections`: how many are open. A member that becomes leader in all of them changes each of them. */
  constructor(clock: Clock, elections: () => number) {
    this.#clock = clock;
    this.#elections = elections;
  }

  /** May a message of this sender cause a save? `leads`: it came from the leader, over its connection. */
  maySave(from: MemberId, leads = false): boolean {
    const bucket = (leads ? this.#leaders : this.#saves).get(from);
    // Most senders cause no saves most of the time, and every message asks.
    return bucket === undefined || bucket.has(1);
  }

  /** Charges a save: one per millisecond that it took, at least one, at most the maximum. */
  saved(from: MemberId, tookMs: number, leads = false): void {
    this.#of(from, leads).take(Math.min(MOST_A_SAVE, Math.max(1, tookMs)));
  }

  #of(from: MemberId, leads: boolean): Bucket {
    const buckets = leads ? this.#leaders : this.#saves;
    let bucket = buckets.get(from);
    if (bucket === undefined) {
      if (buckets.size >= MOST_SENDERS) forgetIdle(buckets);
      const times = leads ? LEADER_TIMES : 1;
      bucket = new Bucket(
        this.#clock,
        () => times * (200 + 10 * this.#elections()),
        () => times * (100 + this.#elections()),
      );
      buckets.set(from, bucket);
    }
    return bucket;
  }
}

/** A full bucket is as good as a new one. */
function forgetIdle(buckets: Map<MemberId, Bucket>): void {
  for (const [sender, bucket] of buckets) if (bucket.isFull) buckets.delete(sender);
}
