import { compareIds, type MemberId } from '../core/index.ts';
import { toMs } from './time.ts';

/** A period in which a member believed itself leader, or could act as one. */
export interface Stretch {
  readonly member: MemberId;
  readonly term: number | null;
  readonly fromUs: number;
  toUs: number | null;
}

/** Records which member held something, and when. Claims and acting are two ledgers. */
export class Ledger {
  readonly stretches: Stretch[] = [];
  readonly #open = new Map<MemberId, Stretch>();

  get open(): readonly Stretch[] {
    return [...this.#open.values()];
  }

  /** The same, without creating a list. */
  holders(): IterableIterator<Stretch> {
    return this.#open.values();
  }

  get size(): number {
    return this.#open.size;
  }

  /** The members that hold it, the one with the newest term first, then the latest. */
  get newestFirst(): MemberId[] {
    const open = [...this.#open.values()];
    open.sort(
      (a, b) => (b.term ?? 0) - (a.term ?? 0) || b.fromUs - a.fromUs || compareIds(a.member, b.member),
    );
    return open.map(({ member }) => member);
  }

  of(member: MemberId): Stretch | undefined {
    return this.#open.get(member);
  }

  /** Records whether the member holds it from now on; a new term is a new stretch. True if that changed. */
  note(member: MemberId, holds: boolean, term: number | null, nowUs: number): boolean {
    const open = this.#open.get(member);
    if (open === undefined) {
      if (!holds) return false;
    } else {
      if (holds && open.term === term) return false;
      open.toUs = nowUs;
      this.#open.delete(member);
    }
    if (holds) {
      const stretch: Stretch = { member, term, fromUs: nowUs, toUs: null };
      this.#open.set(member, stretch);
      this.stretches.push(stretch);
    }
    return true;
  }

  /** What is held at the end of a run ends with it. */
  finish(nowUs: number): void {
    for (const stretch of this.#open.values()) stretch.toUs = nowUs;
  }
}

/**
 * Adds up the time in which no member could act, and in which two could, and keeps the length of every gap. `running`
 * counts the members that could act now; a paused process could act the moment it resumes, so it counts only in
 * `acting`.
 */
export class Coverage {
  darkUs = 0;
  doubleUs = 0;
  /** The length of each gap without a leader, except the first one (before any leader). */
  readonly gapsMs: number[] = [];
  firstMs: number | null = null;
  #running = 0;
  #acting = 0;
  #sinceUs = 0;
  #darkSinceUs = 0;

  update(running: number, acting: number, nowUs: number): void {
    if (running === this.#running && acting === this.#acting) return;
    this.finish(nowUs);
    if (this.#running === 0 && running > 0) {
      if (this.firstMs === null) this.firstMs = toMs(nowUs);
      else this.gapsMs.push(toMs(nowUs - this.#darkSinceUs));
    }
    if (running === 0 && this.#running > 0) this.#darkSinceUs = nowUs;
    this.#running = running;
    this.#acting = acting;
  }

  /** Accounts for the time up to now. */
  finish(nowUs: number): void {
    const passedUs = nowUs - this.#sinceUs;
    if (this.#running === 0) this.darkUs += passedUs;
    if (this.#acting > 1) this.doubleUs += passedUs;
    this.#sinceUs = nowUs;
  }
}
