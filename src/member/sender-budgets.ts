import type { MemberId } from '../core/index.ts';
import type { Clock } from './clock.ts';

/** Fills up over time to what it holds at most, and is emptied by what is taken. */
class Bucket {
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

  /** What was taken has been used, also if there was less. */
  take(amount: number): void {
    this.#left = this.left - amount;
  }
}

/**
 * The most that one save is charged, in milliseconds. The charge stands for what the sender caused, and how slow the disk is it did not
 * cause. Example without a bound: the disks of two members take 1 s for each save, for some seconds. Each of these saves would keep
 * the other member from being elected for 10 s, also long after the disks are fast again, and there would be no leader meanwhile.
 */
const MOST_A_SAVE = 20;

/**
 * How much of the disk each sender may use. A change that has to be saved holds up the member for as long as the disk takes, so a
 * sender that causes one with every message would keep it from everything else. An honest member causes a handful in an
 * election, and two with every value that it publishes.
 */
export class SenderBudgets {
  readonly #clock: Clock;
  readonly #elections: () => number;
  readonly #saves = new Map<MemberId, Bucket>();

  /** `elections`: how many are open. A member that takes over in all of them changes something in each. */
  constructor(clock: Clock, elections: () => number) {
    this.#clock = clock;
    this.#elections = elections;
  }

  /** May what this sender says be saved? */
  maySave(from: MemberId): boolean {
    return this.#of(from).left >= 1;
  }

  /** A save that takes longer than a millisecond counts for as many as it takes, up to a bound. */
  saved(from: MemberId, tookMs: number): void {
    this.#of(from).take(Math.min(MOST_A_SAVE, Math.max(1, tookMs)));
  }

  #of(from: MemberId): Bucket {
    let bucket = this.#saves.get(from);
    if (bucket === undefined) {
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
