import type { MemberId } from '../core/index.ts';
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

/** Voters that register under ever new names must not fill the memory. */
const MOST_SENDERS = 1000;

/**
 * How many saves each sender may cause. A save blocks the member for as long as the disk takes, so a sender that
 * causes one with every message would keep it from everything else. An honest member causes a handful in an election,
 * and two with every value that it publishes.
 */
export class SenderBudgets {
  readonly #clock: Clock;
  readonly #elections: () => number;
  readonly #saves = new Map<MemberId, Bucket>();

  /** `elections`: how many are open. A member that becomes leader in all of them changes each of them. */
  constructor(clock: Clock, elections: () => number) {
    this.#clock = clock;
    this.#elections = elections;
  }

  /** May a message of this sender cause a save? */
  maySave(from: MemberId): boolean {
    return this.#of(from).left >= 1;
  }

  /** Charges a save: one per millisecond that it took, at least one, at most the maximum. */
  saved(from: MemberId, tookMs: number): void {
    this.#of(from).take(Math.min(MOST_A_SAVE, Math.max(1, tookMs)));
  }

  /** A full bucket is as good as a new one. */
  #forgetIdle(): void {
    for (const [sender, bucket] of this.#saves) if (bucket.isFull) this.#saves.delete(sender);
  }

  #of(from: MemberId): Bucket {
    let bucket = this.#saves.get(from);
    if (bucket === undefined) {
      if (this.#saves.size >= MOST_SENDERS) this.#forgetIdle();
      bucket = new Bucket(
        this.#clock,
        () => 200 + 10 * this.#elections(),
        () => 100 + this.#elections(),
      );
      this.#saves.set(from, bucket);
    }
    return bucket;
  }
}
