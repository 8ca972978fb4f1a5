import type { Clock } from '../../election/index.ts';
import type { Link } from './session.ts';

/** A write that was seen the moment it happened. */
export interface News {
  readonly revision: number;
  /** Null: it was deleted. */
  readonly text: string | null;
}

/** Null: something may have been missed. */
type Listener = (news: News | null) => void;

const AGAIN_AFTER_MS = 1000;

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

  /** Watches over this link for as long as it lasts. */
  follow(link: Link): void {
    for (const bucket of this.#buckets) void this.#follow(link, bucket);
  }

  async #follow(link: Link, bucket: string): Promise<void> {
    let hasEnded = false;
    let stop = (): void => {};
    let wake = (): void => {};
    void link.connection.closed().then(() => {
      hasEnded = true;
      stop();
      wake();
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
        // The calls say what is wrong. We only try again.
      }
      if (hasEnded) return;
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(AGAIN_AFTER_MS, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
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
