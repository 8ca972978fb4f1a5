/**
 * Which elections rest is known to both sides, although messages may be lost and overtaken. Each side counts the
 * elections that have ended their rest with the other, and every message lists those that the other has not confirmed:
 * so a message always says all that ended before it was sent.
 */
import { type Ended, type Endings, MOST_LISTED } from './messages.ts';

/** The endings on this side. */
export class OwnEndings {
  count = 0;
  readonly #unseen = new Map<string, number>();
  /** Up to this count every election has ended, and the other side may not know it. */
  #allUpTo = 0;

  add(election: string): void {
    this.count += 1;
    this.#unseen.delete(election); // The latest ending of an election stands last.
    this.#unseen.set(election, this.count);
  }

  /** Every election has ended, also those of which this side knows nothing any more: `count` is the latest count. */
  addAll(count: number): void {
    this.count = count + 1;
    this.#allUpTo = this.count;
  }

  /** The other side knows of all up to this count. */
  seen(count: number): void {
    if (count >= this.#allUpTo) this.#allUpTo = 0;
    for (const [election, ended] of this.#unseen) {
      if (ended > count) return;
      this.#unseen.delete(election);
    }
  }

  get list(): Endings {
    if (this.#allUpTo > 0) return null;
    if (this.#unseen.size > MOST_LISTED) return null;
    const list: Ended[] = [];
    for (const [election, count] of this.#unseen) list.push({ election, count });
    return list;
  }
}

/** The endings of the other side that this one knows of. */
export class SeenEndings {
  count = 0;

  /** The elections that have ended since; null: all. */
  news(count: number, ended: Endings): readonly string[] | null {
    if (count <= this.count) return [];
    const before = this.count;
    this.count = count;
    if (ended === null) return null;
    const news: string[] = [];
    for (const each of ended) if (each.count > before) news.push(each.election);
    return news;
  }
}
