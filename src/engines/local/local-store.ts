import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../core/index.ts';
import type { ResignationRequest } from '../../election/index.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { Folder } from './folder.ts';
import type { Info } from './info.ts';
import { Line } from './line.ts';
import { askAt, isNobodyThere, Post } from './post.ts';

export interface LocalGrant extends Grant {
  readonly post: Post;
  /** Of the socket that was linked: another file of that name is not ours. */
  readonly inode: bigint;
}

const NOBODY = { leader: null, token: null, freeInMs: null };
/** A new leader has its socket a moment before it has said who it is. */
const INTRODUCTION_MS = 5;
/** How often somebody else may be faster before we leave it to the next call. */
const TRIES = 10;

/** One election in a folder. */
export class LocalStore implements LeaseStore<LocalGrant> {
  readonly #folder: Folder;
  readonly #election: string;
  readonly #name: string;
  /** What we hold, and what we have said of it. It may be that we were not told. */
  #grant: LocalGrant | null = null;
  #info: Info | null = null;
  #hint: (news: 'changed' | 'ours') => void = () => {};
  /** To the leader: the kernel closes it when its process is gone. */
  readonly #line = new Line(() => this.#hint('changed'));

  constructor(folder: Folder, election: string, name: string) {
    this.#folder = folder;
    this.#election = election;
    this.#name = name;
  }

  async take(call: Call): Promise<{ grant: LocalGrant | null; reading: Reading }> {
    this.#folder.make();
    this.#letGo();
    for (let tries = 0; tries < TRIES; tries++) {
      const last = this.#lastToken();
      if (await this.#isAlive(last)) return { grant: null, reading: await this.#reading(last, call) };
      call.signal.throwIfAborted();
      const { value = null, version = 0, token = '0' } = this.#folder.info(this.#election) ?? {};
      const [newest = last] = [last, BigInt(token)].toSorted((a, b) => (a < b ? 1 : -1));
      const info = this.#infoOf(newest + 1n, value, version);
      const grant = await this.#follow(info, call);
      if (grant !== null) {
        return { grant, reading: { leader: this.#name, token: grant.token, freeInMs: null, value, version } };
      }
      await nextTurn(); // Somebody was faster.
    }
    throw new Error(`others were faster, ${TRIES} times`);
  }

  /** Also says again who we are, if that was lost. */
  async renew(grant: LocalGrant): Promise<LocalGrant | null> {
    if (!this.#isOurs(grant)) return null;
    if (!this.#isTold(grant)) await this.#tell(grant, this.#info!);
    const { asked } = grant.post;
    return asked === null ? grant : { ...grant, asked };
  }

  async release(grant: LocalGrant): Promise<void> {
    if (this.#grant?.post === grant.post) this.#letGo();
  }

  async publish(grant: LocalGrant, value: Json): Promise<number | null> {
    if (!this.#isOurs(grant)) return null;
    const version = this.#info!.version + 1;
    const isTold = await this.#tell(grant, this.#infoOf(grant.token, value, version));
    return isTold ? version : null;
  }

  /** Each leadership has a socket of its own, so nobody else hears what comes late. */
  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    if (!this.#folder.enter()) return;
    try {
      await askAt(this.#socketOf(token), reason, signal);
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
  }

  async read(call: Call): Promise<Reading> {
    if (!this.#folder.enter()) return { ...NOBODY, value: null, version: 0 };
    const last = this.#lastToken();
    if (await this.#isAlive(last)) return this.#reading(last, call);
    const { value = null, version = 0 } = this.#folder.info(this.#election) ?? {};
    return { ...NOBODY, value, version };
  }

  watch(hint: (news: 'changed' | 'ours') => void): () => void {
    this.#hint = hint;
    const prefix = `${this.#election}@`;
    const unwatch = this.#folder.watch((file) => {
      if (!file.startsWith(prefix)) return;
      const grant = this.#grant;
      hint(grant === null || (this.#isOurs(grant) && this.#isTold(grant)) ? 'changed' : 'ours');
    });
    return () => {
      this.#hint = () => {};
      unwatch();
      this.#line.close();
    };
  }

  #lastToken(): bigint {
    return this.#folder.tokens(this.#election)[0] ?? 0n;
  }

  #socketOf(token: bigint): string {
    return this.#folder.socket(`${this.#election}@${token}`);
  }

  async #isAlive(token: bigint): Promise<boolean> {
    return token > 0n && (await this.#line.open(this.#socketOf(token)));
  }

  /** Tries to be the leader with this token. Null: it was given to another. All that may fail comes before that, if it can. */
  async #follow(info: Info, call: Call): Promise<LocalGrant | null> {
    const token = BigInt(info.token);
    const draft = this.#folder.newName();
    const post = new Post(() => this.#hint('ours'));
    let infoDraft: string | null = null;
    try {
      await post.open(this.#folder.socket(draft));
      this.#folder.share(draft);
      const inode = this.#folder.inode(draft);
      if (inode === null) throw new Error('the folder was deleted');
      infoDraft = await this.#folder.draftInfo(info);
      if (call.signal.aborted || !this.#claim(draft, token)) {
        post.close();
        return null;
      }
      this.#folder.tellInfo(infoDraft, this.#election);
      this.#line.close();
      this.#grant = { token, post, inode };
      this.#info = info;
      return this.#grant;
    } catch (error) {
      post.close();
      throw error;
    } finally {
      this.#folder.remove(draft);
      if (infoDraft !== null) this.#folder.remove(infoDraft);
    }
  }

  #claim(draft: string, token: bigint): boolean {
    if (!this.#folder.claim(draft, this.#election, token)) return false;
    const [newest, ...older] = this.#folder.tokens(this.#election);
    // The token that was free when we looked may have been given, used and cleared away since.
    for (const each of newest === token ? older : [token]) this.#folder.remove(`${this.#election}@${each}`);
    return newest === token;
  }

  #isOurs({ token, post, inode }: LocalGrant): boolean {
    return post.isOpen && this.#folder.inode(`${this.#election}@${token}`) === inode;
  }

  #isTold({ token }: LocalGrant): boolean {
    return this.#folder.info(this.#election)?.token === String(token);
  }

  #infoOf(token: bigint, value: Json, version: number): Info {
    return { token: String(token), leader: this.#name, value, version };
  }

  /** False: we are not the leader any more, and nothing was said. */
  async #tell(grant: LocalGrant, info: Info): Promise<boolean> {
    const draft = await this.#folder.draftInfo(info);
    try {
      if (!this.#isOurs(grant)) return false;
      this.#folder.tellInfo(draft, this.#election);
      this.#info = info;
      return true;
    } finally {
      this.#folder.remove(draft);
    }
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
