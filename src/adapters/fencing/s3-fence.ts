import { randomUUID } from 'node:crypto';
import { BadInput, show } from '../../core/index.ts';
import { CaucusError, readToken, staleToken } from '../../election/index.ts';

interface Place {
  Bucket: string;
  Key: string;
}

/** What is used of a client of S3, as `S3` of `@aws-sdk/client-s3` has it. */
export interface S3Client {
  getObject(input: Place): Promise<{
    ETag?: string | undefined;
    Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined;
  }>;
  putObject(
    input: Place & { Body: string | Uint8Array; IfMatch?: string; IfNoneMatch?: string },
  ): Promise<unknown>;
  deleteObject(input: Place): Promise<unknown>;
}

export interface S3FenceOptions {
  readonly bucket: string;
  /** How often a write is tried while others write under the same key (default: 10). */
  readonly attempts?: number;
}

/** What is stored under the key itself. */
interface Pointer {
  readonly token: bigint;
  /** The key of the content. */
  readonly object: string;
  readonly tag: string;
}

/**
 * Content under a key of S3 that only the leader may replace. The key holds a small JSON document with the token and the
 * key of the content, `KEY@TOKEN.UUID`. That document is replaced by a conditional write (`If-Match`, or `If-None-Match: *`
 * for the first), on exactly the version whose token was compared.
 *
 * The content is not under the key itself, because S3 makes ETags of contents alone: if a newer leader wrote the same
 * bytes that a stale one has read, `If-Match` of the stale one would succeed. The UUID makes every document different.
 */
export class S3Fence {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #attempts: number;

  constructor(client: S3Client, { bucket, attempts = 10 }: S3FenceOptions) {
    if (typeof bucket !== 'string' || bucket === '')
      throw new BadInput('bucket', 'the name of a bucket', show(bucket));
    if (!Number.isSafeInteger(attempts) || attempts < 1)
      throw new BadInput('attempts', 'a whole number above 0', show(attempts));
    this.#client = client;
    this.#bucket = bucket;
    this.#attempts = attempts;
  }

  /** Replaces the content. Throws E_STALE_TOKEN, and changes nothing, if a newer leader has written it. */
  async put(token: bigint, key: string, content: string | Uint8Array): Promise<void> {
    const object = `${key}@${readToken(token)}.${randomUUID()}`;
    refuseStale(token, await this.#pointer(key));
    await this.#client.putObject({ ...this.#at(object), Body: content });
    const replaced = await this.#point(token, key, object).catch(async (error) => {
      // Not if the outcome is unknown: the pointer may name it.
      if (error instanceof CaucusError) await this.#discard(object);
      throw error;
    });
    // A reader that was about to read it looks at the pointer again.
    if (replaced !== null) await this.#discard(replaced.object);
  }

  /** The content and the token of its writer; null if there is none. */
  async get(key: string): Promise<{ readonly token: bigint; readonly content: Uint8Array } | null> {
    for (;;) {
      const pointer = await this.#pointer(key);
      if (pointer === null) return null;
      const found = await this.#read(pointer.object);
      if (found !== null) return { token: pointer.token, content: found.content };
      if ((await this.#pointer(key))?.object === pointer.object)
        throw new CaucusError('E_FAILED', `${key} names ${pointer.object}, which is not there`);
    }
  }

  /** Lets the key name this object; returns what it named before. */
  async #point(token: bigint, key: string, object: string): Promise<Pointer | null> {
    const Body = JSON.stringify({ token: `${token}`, object });
    for (let attempt = 1; attempt <= this.#attempts; attempt++) {
      const stored = await this.#pointer(key);
      refuseStale(token, stored);
      const condition = stored === null ? { IfNoneMatch: '*' } : { IfMatch: stored.tag };
      try {
        await this.#client.putObject({ ...this.#at(key), Body, ...condition });
        return stored;
      } catch (error) {
        // 412: another version is stored by now. 409: another conditional write is under way. 404: it was deleted.
        if (![404, 409, 412].includes(statusOf(error))) throw error;
      }
    }
    const message = `${key} was changed by others during each of ${this.#attempts} attempts to write it`;
    throw new CaucusError('E_FAILED', message);
  }

  async #pointer(key: string): Promise<Pointer | null> {
    const found = await this.#read(key);
    if (found === null) return null;
    const text = Buffer.from(found.content).toString();
    const [, token, object] = /^\{"token":"(\d{1,38})","object":"(.+)"\}$/.exec(text) ?? [];
    if (token === undefined || object === undefined)
      throw new BadInput(key, 'a document that S3Fence wrote', show(text));
    return { token: BigInt(token), object: JSON.parse(`"${object}"`), tag: found.tag };
  }

  async #read(key: string): Promise<{ readonly content: Uint8Array; readonly tag: string } | null> {
    try {
      const { Body, ETag } = await this.#client.getObject(this.#at(key));
      if (ETag === undefined) throw new BadInput('client', 'a store that returns an ETag', 'none');
      return { content: (await Body?.transformToByteArray()) ?? new Uint8Array(), tag: ETag };
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  /** What stays behind takes room and does no harm. */
  async #discard(key: string): Promise<void> {
    await this.#client.deleteObject(this.#at(key)).catch(() => {});
  }

  #at(key: string): Place {
    return { Bucket: this.#bucket, Key: key };
  }
}

function refuseStale(token: bigint, stored: Pointer | null): void {
  if (stored !== null && stored.token > token) throw staleToken(token, stored.token);
}

function statusOf(error: unknown): number {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
}
