import type { View } from '../core/index.ts';
import type { Held } from '../election/index.ts';
import { isolate } from './isolate.ts';

/** The listeners of one election. Renewals of a lease are not announced. */
export class Audience {
  /** A list that is replaced, never changed: listeners come and go while it is told. */
  #listeners: readonly (() => void)[] = [];
  #view: View;
  #held: Held | null = null;
  #illness: string | null = null;

  constructor(view: View) {
    this.#view = view;
  }

  add(listener: () => void): () => void {
    this.#listeners = this.#listeners.concat(listener); // No longer than it needs to be.
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== listener);
    };
  }

  /** Calls the listeners if anything changed. */
  show(view: View, held: Held | null, illness: string | null): void {
    const isNews = held !== this.#held || illness !== this.#illness || !isSameView(view, this.#view);
    this.#view = view;
    this.#held = held;
    this.#illness = illness;
    if (isNews) this.tell();
  }

  tell(): void {
    for (const listener of this.#listeners) isolate(listener);
  }
}

function isSameView(a: View, b: View): boolean {
  return (
    a.role === b.role &&
    a.leader === b.leader &&
    a.term === b.term &&
    a.version === b.version &&
    (a.lease === null) === (b.lease === null) &&
    isSameList(a.members, b.members)
  );
}

function isSameList(a: View['members'], b: View['members']): boolean {
  return a?.length === b?.length && (a ?? []).every((id, i) => id === b?.[i]);
}
