import { type MemberId, majority, type Self, type View } from '../core/index.ts';
import type { Clock } from './clock.ts';

/** With enough members running, getting a seat takes a few milliseconds; nothing is logged before this. */
const PATIENCE_MS = 1000;

/** The same is told of thousands of elections, and kept in the histories of all. */
let latest = '';
function sameWords(words: string): string {
  if (words !== latest) latest = words;
  return latest;
}

/**
 * A member whose disk has no seat in the election takes no part in it. A leader gives the disk a seat. But electing
 * the leader of a new cluster, or of one that lost disks, takes more members than usual, and until they run this
 * member waits. Then the log says which members it waits for.
 */
export class SeatWait {
  readonly #self: MemberId;
  /** As they were configured. */
  readonly #members: readonly MemberId[];
  /** Null while it has a seat. */
  #heard: Set<MemberId> | null = null;
  /** Null while it has a seat. */
  #sinceMs: number | null = null;
  #told = '';

  constructor({ id, members }: Self) {
    this.#self = id;
    this.#members = members;
  }

  onHeard(from: MemberId): void {
    if (this.#sinceMs === null) return;
    this.#heard ??= new Set();
    this.#heard.add(from);
  }

  /** It may be gone before the cluster has all that it needs: then this member waits for it again. */
  onGone(peer: MemberId): void {
    this.#heard?.delete(peer);
  }

  /** A message that was not logged yet, or null. */
  news({ role, members = this.#members }: View, clock: Pick<Clock, 'now'>): string | null {
    if (role !== 'none') {
      this.#sinceMs = null;
      this.#heard = null;
      this.#told = '';
      return null;
    }
    const nowMs = clock.now();
    this.#sinceMs ??= nowMs;
    const id = this.#self;
    const absent = members.filter((each) => each !== id && this.#heard?.has(each) !== true);
    const n = members.length;
    const needed = Math.min(n, majority(n) + 1);
    // A removed member has no seat either, and does not wait for one.
    const isWaiting = members.includes(id) && n - absent.length < needed;
    const missing = isWaiting ? absent.join(', ') : '';
    if (missing === this.#told || nowMs - this.#sinceMs < PATIENCE_MS) return null;
    this.#told = missing;
    if (!isWaiting) return null;
    return sameWords(
      `waiting for ${missing}: the first start of a cluster, or a start after disks were lost, needs ${needed} of its ${n} members`,
    );
  }
}
