import type { Clock } from '../../election/index.ts';
import type { Link } from './session.ts';

/** A write, reported as it happened. */
export interface News {
  readonly revision: number;
  /** Null: it was deleted. */
  readonly text: string | null;
}

/** Null: something may have been missed. */
type Listener = (news: News | null) => void;

const AGAIN_AFTER_MS = 1000;

/** A wait that can be cut short, also before it has begun. */
class Hurry {
  #isDue = false;
  #wake = (): void => {};

  now(): void {
    this.#isDue = true;
    this.#wake();
  }

  async within(ms: number, clock: Clock): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#isDue) this.#wake();
    });
    this.#isDue = false;
  }
}

/** Watches whole buckets, with one consumer for each, on behalf of all elections of an engine. */
export class Watches {
  readonly #buckets: readonly string[];
  readonly #clock: Clock;
  /** By bucket and key. */
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(buckets: readonly string[], clock: Clock) {
    this.#buckets = buckets;
    this.#clock = clock;
  }

  add(bucket: string, key: string, listener: Listener): () => void {
    const place = `${bucket} ${key}`;
    const there = this.#listeners.get(place) ?? new Set();
    this.#listeners.set(place, there.add(listener));
    return () => {
      there.delete(listener);
      if (there.size === 0) this.#listeners.delete(place);
    };
  }

  /** Watches over this connection for as long as it lasts. */
  follow(link: Link): void {
    const hurries = this.#buckets.map(() => new Hurry());
    link.onEnsured = () => {
      for (const hurry of hurries) hurry.now();
    };
    for (const [index, bucket] of this.#buckets.entries()) void this.#follow(link, bucket, hurries[index]!);
  }

  /** Without a bucket there is nothing to watch: retries now and then, and when the buckets were created. */
  async #follow(link: Link, bucket: string, hurry: Hurry): Promise<void> {
    let hasEnded = false;
    let stop = (): void => {};
    void link.connection.closed().then(() => {
      hasEnded = true;
      stop();
      hurry.now();
    });
    while (!hasEnded) {
      try {
        const kv = await link.kvm.open(bucket, { allow_direct: false });
        const entries = await kv.watch({ include: link.updatesOnly });
        stop = () => entries.stop();
        if (hasEnded) stop();
        this.#tellAll(bucket);
        for await (const entry of entries) {
          const { revision, operation } = entry;
          this.#tell(`${bucket} ${entry.key}`, {
            revision,
            text: operation === 'PUT' ? entry.string() : null,
          });
        }
      } catch {
        // The calls report the error; this only retries.
      }
      if (hasEnded) return;
      await hurry.within(AGAIN_AFTER_MS, this.#clock);
    }
  }

  #tellAll(bucket: string): void {
    for (const place of [...this.#listeners.keys()])
      if (place.startsWith(`${bucket} `)) this.#tell(place, null);
  }

  #tell(place: string, news: News | null): void {
    for (const listener of [...(this.#listeners.get(place) ?? [])]) listener(news);
  }
}
