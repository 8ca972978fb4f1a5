/** A set of listeners. An error in one of them neither stops the caller nor keeps the others from being called. */
export class Listeners<T> {
  readonly #all = new Set<(news: T) => void>();

  /** Returns a function that removes it. */
  add(listener: (news: T) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(news: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(news);
      } catch (error) {
        // Rethrown as an uncaught error, so that it does not go unnoticed.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#all.clear();
  }
}
