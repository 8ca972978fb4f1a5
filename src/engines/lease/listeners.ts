/** Those who want to be told. What one of them throws neither stops who tells nor keeps the others from being told. */
export class Listeners<T> {
  readonly #all = new Set<(news: T) => void>();

  /** Returns how to stop. */
  add(listener: (news: T) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(news: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(news);
      } catch (error) {
        // It must not go unnoticed: it ends up where all uncaught errors do.
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
