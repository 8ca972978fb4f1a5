import type { Call } from '../lease/lease-store.ts';
import { streamOf } from './buckets.ts';
import type { Session } from './session.ts';
import { isBucketMissing, isConflict } from './trouble.ts';

/** What stands under a key. */
export interface Entry {
  /** The number of this write in its bucket; 0 if there is nothing. */
  readonly revision: number;
  /** Null: nothing was written, or it has run out, or it was deleted. */
  readonly text: string | null;
  /** Which grant wrote it, where the text does not say so. */
  readonly writer: string | null;
}

const NOTHING: Entry = { revision: 0, text: null, writer: null };
/** Says of a write in its headers whose it was, and is not seen by those who only read the value. */
const WRITER = 'Caucus-Writer';

/**
 * One key of one bucket. It is read from the leader of its stream and never from a replica that may lag behind, and every write
 * says what it replaces, so that the server refuses what comes too late.
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
        // Those who only look make no bucket.
        if (isBucketMissing(error) && !this.#session.takesPart) return null;
        throw error;
      });
      if (message === null) return NOTHING;
      const { seq: revision, header } = message;
      // A deletion leaves a mark behind, and so does what has run out on servers that are told to.
      const isGone = header.has('KV-Operation') || header.has('Nats-Marker-Reason');
      return { revision, text: isGone ? null : message.string(), writer: header.get(WRITER) || null };
    });
  }

  /** Writes it if the revision is still this one; 0 stands for nothing. Returns the new revision, or null if it is not. */
  put(text: string, replaced: number, call: Call, writer?: string): Promise<number | null> {
    return this.#write(text, replaced, call, writer === undefined ? {} : { [WRITER]: writer });
  }

  /** Leaves the mark of a deletion, as every client of NATS does. Null: the revision is not this one any more. */
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
