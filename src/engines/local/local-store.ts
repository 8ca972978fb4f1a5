import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../core/index.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { Folder } from './folder.ts';
import { Post } from './post.ts';

export interface LocalGrant extends Grant {
  readonly post: Post;
  /** Of the socket that was linked: another file of that name is not ours. */
  readonly inode: bigint;
}

const NOBODY = { leader: null, token: null, freeInMs: null };
/** A new leader has its socket a moment before it has said who it is. */
const INTRODUCTION_MS = 5;

/** One election in a folder. */
export class LocalStore implements LeaseStore<LocalGrant> {
  readonly #folder: Folder;
  readonly #election: string;
  readonly #name: string;
  /** What we hold. It may be that we were not told. */
  #grant: LocalGrant | null = null;

  constructor(folder: Folder, election: string, name: string) {
    this.#folder = folder;
    this.#election = election;
    this.#name = name;
  }

  async take(call: Call): Promise<{ grant: LocalGrant | null; reading: Reading }> {
    this.#folder.open();
    this.#letGo();
    for (;;) {
      call.signal.throwIfAborted();
      const last = this.#lastToken();
      if (await this.#isAlive(last)) return { grant: null, reading: await this.#reading(last, call) };
      const grant = await this.#follow(last + 1n, call);
      if (grant === null) continue; // Somebody was faster.
      this.#grant = grant;
      const { value = null, version = 0 } = this.#folder.info(this.#election) ?? {};
      this.#introduce(grant, value, version);
      return { grant, reading: { leader: this.#name, token: grant.token, freeInMs: null, value, version } };
    }
  }

  async renew(grant: LocalGrant): Promise<LocalGrant | null> {
    return this.#isOurs(grant) ? grant : null;
  }

  async release(grant: LocalGrant): Promise<void> {
    if (this.#grant === grant) this.#letGo();
  }

  async publish(grant: LocalGrant, value: Json): Promise<number | null> {
    if (!this.#isOurs(grant)) return null;
    const version = (this.#folder.info(this.#election)?.version ?? 0) + 1;
    this.#introduce(grant, value, version);
    return version;
  }

  async read(call: Call): Promise<Reading> {
    this.#folder.open();
    const last = this.#lastToken();
    if (await this.#isAlive(last)) return this.#reading(last, call);
    const { value = null, version = 0 } = this.#folder.info(this.#election) ?? {};
    return { ...NOBODY, value, version };
  }

  watch(hint: (news: 'changed' | 'gone') => void): () => void {
    const prefix = `${this.#election}@`;
    let isOver = false;
    let stopLine = (): void => {};
    // A line to the leader: the kernel closes it when its process is gone.
    const holdLine = (): void => {
      stopLine();
      if (!isOver) stopLine = this.#holdLine(hint);
    };
    const unwatch = this.#folder.watch((file) => {
      if (!file.startsWith(prefix)) return;
      const grant = this.#grant;
      if (grant === null) holdLine();
      hint(grant !== null && !this.#isOurs(grant) ? 'gone' : 'changed');
    });
    holdLine();
    return () => {
      isOver = true;
      unwatch();
      stopLine();
    };
  }

  #holdLine(hint: (news: 'changed') => void): () => void {
    let last: bigint;
    try {
      last = this.#lastToken();
    } catch {
      return () => {};
    }
    if (last === 0n || last === this.#grant?.token) return () => {};
    const line = connect(this.#socketOf(last));
    line.unref();
    line.on('error', () => {}).on('close', () => hint('changed'));
    return () => {
      line.removeAllListeners('close');
      line.destroy();
    };
  }

  #lastToken(): bigint {
    const given = this.#folder.tokens(this.#election)[0] ?? 0n;
    const told = BigInt(this.#folder.info(this.#election)?.token ?? 0);
    if (told > given) return told;
    return given;
  }

  #socketOf(token: bigint): string {
    return this.#folder.socket(`${this.#election}@${token}`);
  }

  /** Only a refusal says that nobody is there: whoever is stopped, or has too many at its door, lives. */
  async #isAlive(token: bigint): Promise<boolean> {
    if (token === 0n) return false;
    const socket = connect(this.#socketOf(token));
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== 'ECONNREFUSED' && code !== 'ENOENT';
    } finally {
      socket.destroy();
    }
  }

  /** Tries to be the leader with this token. Null: it was given to another. */
  async #follow(token: bigint, call: Call): Promise<LocalGrant | null> {
    const draft = `${this.#election}@draft.${randomUUID().slice(0, 8)}`;
    const post = new Post();
    await post.open(this.#folder.socket(draft));
    try {
      const inode = this.#folder.inode(draft);
      const isGranted =
        !call.signal.aborted && inode !== null && this.#folder.claim(draft, this.#election, token);
      // The token that was free when we looked may have been given, used and cleared away since.
      if (isGranted && this.#folder.tokens(this.#election)[0] === token) {
        for (const older of this.#folder.tokens(this.#election).slice(1))
          this.#folder.remove(`${this.#election}@${older}`);
        return { token, post, inode };
      }
      if (isGranted) this.#folder.remove(`${this.#election}@${token}`);
      post.close();
      return null;
    } catch (error) {
      post.close();
      throw error;
    } finally {
      this.#folder.remove(draft);
    }
  }

  #isOurs({ token, post, inode }: LocalGrant): boolean {
    return post.isOpen && this.#folder.inode(`${this.#election}@${token}`) === inode;
  }

  #introduce({ token }: LocalGrant, value: Json, version: number): void {
    this.#folder.saveInfo(this.#election, { token: String(token), leader: this.#name, value, version });
  }

  async #reading(token: bigint, call: Call): Promise<Reading> {
    for (;;) {
      const info = this.#folder.info(this.#election);
      if (info !== null && BigInt(info.token) === token) {
        const { leader, value, version } = info;
        return { leader, token, freeInMs: null, value, version };
      }
      call.signal.throwIfAborted();
      if (!(await this.#isAlive(token))) return this.read(call);
      await sleep(INTRODUCTION_MS);
    }
  }

  #letGo(): void {
    this.#grant?.post.close();
    this.#grant = null;
  }
}
