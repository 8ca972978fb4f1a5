import type { Call } from '../lease/lease-store.ts';
import { streamOf } from './buckets.ts';
import type { Session } from './session.ts';
import { isBucketMissing, isConflict } from './trouble.ts';

/** The content of a key. */
export interface Entry {
  /** The revision of this write in its bucket; 0 if there is nothing. */
  readonly revision: number;
  /** Null: nothing was written, it has expired, or it was deleted. */
  readonly text: string | null;
  /** The grant that wrote it, if the text does not say so. */
  readonly writer: string | null;
}

const NOTHING: Entry = { revision: 0, text: null, writer: null };
/** A header that names the writer. Programs that only read the value do not see it. */
const WRITER = 'Caucus-Writer';

/**
 * One key of one bucket. It is read from the leader of its stream, never from a replica that may lag behind, and
 * every write names the revision that it replaces, so that the server refuses late writes.
 */
export class Cell {
  readonly #session: Session;
  readonly #stream: string;
  readonly #subject: string;

  constructor(session: Session, bucket: string, key: string) {
    this.#session = session;
    this.#stream = streamOf(bucket);
    this.#subject = `$KV.${bucket}.${key}`;
  }

  get({ signal }: Call): Promise<Entry> {
    return this.#session.ask(signal, async ({ jsm, leaseMs }) => {
      if (leaseMs === null) return NOTHING;
      const found = jsm.streams.getMessage(this.#stream, { last_by_subj: this.#subject });
      const message = await found.catch((error: unknown) => {
        // Observers create no bucket.
        if (isBucketMissing(error) && !this.#session.takesPart) return null;
        throw error;
      });
      if (message === null) return NOTHING;
      const { seq: revision, header } = message;
      // A deletion leaves a marker, and on some servers so does an expired key.
      const isGone = header.has('KV-Operation') || header.has('Nats-Marker-Reason');
      return { revision, text: isGone ? null : message.string(), writer: header.get(WRITER) || null };
    });
  }

  /**
   * Writes it if the revision is still this one; 0 means that there is nothing. Returns the new revision, or null on
   * a conflict.
   */
  put(text: string, replaced: number, call: Call, writer?: string): Promise<number | null> {
    return this.#write(text, replaced, call, writer === undefined ? {} : { [WRITER]: writer });
  }

  /** Writes a deletion marker, as every client of NATS does. Null: the revision has changed. */
  delete(replaced: number, call: Call): Promise<number | null> {
    return this.#write('', replaced, call, { 'KV-Operation': 'DEL' });
  }

  #write(
    text: string,
    replaced: number,
    { signal }: Call,
    marks: Readonly<Record<string, string>>,
  ): Promise<number | null> {
    return this.#session.ask(signal, async ({ js, headers }) => {
      const header = headers();
      for (const [name, value] of Object.entries(marks)) header.set(name, value);
      const options = { headers: header, expect: { lastSubjectSequence: replaced } };
      try {
        return (await js.publish(this.#subject, text, options)).seq;
      } catch (error) {
        if (isConflict(error)) return null;
        throw error;
      }
    });
  }
}
