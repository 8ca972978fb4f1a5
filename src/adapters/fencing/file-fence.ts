import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { BadInput, show } from '../../core/index.ts';
import { readToken, staleToken } from '../../election/index.ts';

export interface StoredFile {
  readonly token: bigint;
  readonly data: Buffer;
}

interface Version {
  readonly token: bigint;
  /** Counts the writes of one leader. */
  readonly write: number;
  readonly name: string;
}

/**
 * A file that only the leader may replace, as versions `NAME@TOKEN.WRITE`. The one with the greatest token, and of these
 * the last write, is what counts, so that a stale leader can add an older version but never be read: no lock is needed,
 * which a file system does not have in a form that survives the death of its holder.
 */
export class FileFence {
  readonly #folder: string;
  readonly #base: string;

  constructor(file: string) {
    if (typeof file !== 'string' || path.basename(file) === '')
      throw new BadInput('file', 'the path of a file', show(file));
    this.#folder = path.dirname(path.resolve(file));
    this.#base = path.basename(file);
  }

  /**
   * Writes a version, which is durable once this settles, and deletes those before it. Throws E_STALE_TOKEN if a newer
   * leader has written, also during the write; what was written is then not read by any reader.
   */
  async write(token: bigint, data: string | Uint8Array): Promise<void> {
    readToken(token);
    const before = await this.#versions();
    refuseStale(token, before);
    const draft = path.join(this.#folder, `.${this.#base}@${randomUUID()}`);
    const name = await this.#store(draft, token, data, before).finally(() => unlink(draft).catch(() => {}));
    await syncFolder(this.#folder);
    const after = await this.#versions();
    const own = after.findIndex((version) => version.name === name);
    // A reader that has listed one of these finds it gone, and lists again.
    await Promise.all(after.slice(0, Math.max(own, 0)).map((version) => this.#remove(version)));
    refuseStale(token, after);
  }

  /** The newest version; null if there is none. */
  async read(): Promise<StoredFile | null> {
    for (;;) {
      const newest = (await this.#versions()).at(-1);
      if (newest === undefined) return null;
      try {
        return { token: newest.token, data: await readFile(path.join(this.#folder, newest.name)) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }

  /** Puts the data under a name that no other write has; returns the name. */
  async #store(
    draft: string,
    token: bigint,
    data: string | Uint8Array,
    before: readonly Version[],
  ): Promise<string> {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    const last = before.findLast((version) => version.token === token)?.write ?? 0;
    for (let write = last + 1; ; write++) {
      const name = `${this.#base}@${token}.${write}`;
      try {
        await link(draft, path.join(this.#folder, name));
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  /** The oldest first. */
  async #versions(): Promise<Version[]> {
    const versions: Version[] = [];
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(`${this.#base}@`)) continue;
      const found = /^(\d{1,38})\.(\d{1,15})$/.exec(name.slice(this.#base.length + 1));
      if (found !== null) versions.push({ name, token: BigInt(found[1]!), write: Number(found[2]) });
    }
    return versions.sort((a, b) => (a.token === b.token ? a.write - b.write : a.token < b.token ? -1 : 1));
  }

  async #remove({ name }: Version): Promise<void> {
    await unlink(path.join(this.#folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

function refuseStale(token: bigint, versions: readonly Version[]): void {
  const newest = versions.at(-1);
  if (newest !== undefined && newest.token > token) throw staleToken(token, newest.token);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
