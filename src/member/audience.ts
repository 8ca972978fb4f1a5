import type { View } from '../core/index.ts';
import type { Held } from '../election/index.ts';
import { isolate } from './isolate.ts';

/** Those who want to know when something changes about an election. That a lease was renewed is no news. */
export class Audience {
  readonly #listeners = new Set<() => void>();
  #view: View;
  #held: Held | null = null;
  #illness: string | null = null;

  constructor(view: View) {
    this.#view = view;
  }

  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells them if there is anything new. */
  show(view: View, held: Held | null, illness: string | null): void {
    const isNews = held !== this.#held || illness !== this.#illness || !isSameView(view, this.#view);
    this.#view = view;
    this.#held = held;
    this.#illness = illness;
    if (isNews) this.tell();
  }

  tell(): void {
    for (const listener of [...this.#listeners]) isolate(listener);
  }
}

function isSameView(a: View, b: View): boolean {
  return (
    a.role === b.role &&
    a.leader === b.leader &&
    a.term === b.term &&
    a.version === b.version &&
    (a.lease === null) === (b.lease === null) &&
    a.members?.length === b.members?.length
  );
}
