import { readEvents } from '../../src/api/wire/index.ts';

/** Reads a stream of server-sent events, so that a test can wait for one. */
export class EventReader {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was sent.
  readonly events: { readonly name: string; readonly data: any }[] = [];
  isOver = false;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();

  static async open(url: string): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { signal: reader.#stop.signal });
    void reader.#read(response);
    return reader;
  }

  /** The first of these events from this place on that fits. Fails if the stream ends before. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was sent.
  seen(name: string, fits: (data: any) => boolean, from = 0): Promise<any> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.slice(from).find((event) => event.name === name && fits(event.data));
        if (found === undefined && !this.isOver) return;
        this.#waiting.delete(look);
        if (found === undefined) reject(new Error(`the stream ended without such an event: ${name}`));
        else resolve(found.data);
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(response: Response): Promise<void> {
    try {
      for await (const { name, data } of readEvents(response.body!.pipeThrough(new TextDecoderStream()))) {
        this.events.push({ name, data: JSON.parse(data) });
        this.#look();
      }
    } catch {
      // It was closed, by us or by a server that is gone.
    }
    this.isOver = true;
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
