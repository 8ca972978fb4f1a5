import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../core/index.ts';
import type { ResignationRequest } from '../../election/index.ts';
import { type FirstValue, openedBy } from '../lease/first-value.ts';
import type { Call, Grant, LeaseStore, Reading } from '../lease/lease-store.ts';
import type { Folder } from './folder.ts';
import type { Info } from './info.ts';
import { Line } from './line.ts';
import { askAt, isNobodyThere, Post } from './post.ts';

export interface LocalGrant extends Grant {
  readonly post: Post;
  /** The inode of our socket: another file of that name is not ours. */
  readonly inode: bigint;
}

const NO_LEADER = { leader: null, token: null, freeInMs: null };
/** How long a new leader may take between binding its socket and writing who it is. */
const INTRODUCTION_MS = 5;
/** How many times another process may be faster before we leave it to the next call. */
const TRIES = 10;
/** Two candidates that collided wait up to this long, so that they do not collide again. */
const RETREAT_MS = 10;

/**
 * One election in a folder.
 *
 * Between the moment at which a socket is bound and the moment at which it listens it refuses connections, and looks
 * dead. So a candidate that has bound n, and listens, checks all names before it leads, and retreats if there is a
 * name above n, if its own name is gone, or if a process lives behind a name below n. Of two candidates at least one
 * retreats. Say A has n and B has n+1: if A did not see the name of B, then B bound it after A had checked, so A was
 * listening already, and B finds that A lives. Only the process that goes on to lead removes dead names: if one of
 * them was about to listen, its candidate finds its own name gone.
 *
 * A leader that resigns removes its name, so a candidate also retreats if `ELECTION@info` names another leader than
 * the one that it meant to follow: another process has led in the meantime, and may have had the very token that we
 * have bound.
 */
export class LocalStore implements LeaseStore<LocalGrant> {
  readonly #folder: Folder;
  readonly #election: string;
  readonly #name: string;
  /** Our grant and the info that we wrote, if an answer got lost perhaps without the seat knowing. */
  #grant: LocalGrant | null = null;
  #info: Info | null = null;
  /** The newest token that we know of, whatever happens to the files. */
  #newest = 0n;
  #hint: (news: 'changed' | 'ours') => void = () => {};
  /** The connection to the leader: the kernel closes it when its process is gone. */
  readonly #line = new Line(() => this.#hint('changed'));

  constructor(folder: Folder, election: string, name: string) {
    this.#folder = folder;
    this.#election = election;
    this.#name = name;
  }

  async take(
    call: Call,
    first: FirstValue | null = null,
  ): Promise<{ grant: LocalGrant | null; reading: Reading }> {
    this.#folder.make();
    this.#letGo();
    for (let tries = 0; tries < TRIES; tries++) {
      const living = await this.#livingToken();
      if (living !== null) return { grant: null, reading: await this.#reading(living, call) };
      call.signal.throwIfAborted();
      const last = this.#folder.info(this.#election);
      const grant = await this.#follow(last, first, call);
      if (grant !== null) {
        const { value, version } = this.#info!;
        return { grant, reading: { leader: this.#name, token: grant.token, freeInMs: null, value, version } };
      }
      await sleep(Math.random() * RETREAT_MS); // Another process was faster.
    }
    throw new Error(`others were faster, ${TRIES} times`);
  }

  /** Also writes the info again if it was lost, and refreshes our files. */
  async renew(grant: LocalGrant): Promise<LocalGrant | null> {
    if (!this.#isOurs(grant)) return null;
    if (!this.#isTold(grant)) await this.#tell(grant, this.#info!);
    this.#folder.keepFresh([`${this.#election}@${grant.token}`, `${this.#election}@info`]);
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

  /** Each leadership has its own socket, so a late request reaches no other leader. */
  async ask({ token, reason }: ResignationRequest, { signal }: Call): Promise<void> {
    if (!this.#folder.enter()) return;
    try {
      await askAt(this.#socketOf(token), reason, signal);
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
  }

  async read(call: Call): Promise<Reading> {
    if (!this.#folder.enter()) return { ...NO_LEADER, value: null, version: 0 };
    const living = await this.#livingToken();
    if (living !== null) return this.#reading(living, call);
    const { value = null, version = 0 } = this.#folder.info(this.#election) ?? {};
    return { ...NO_LEADER, value, version };
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

  /** The leader's token. There is more than one name only for a moment, or after a crash at that moment. */
  async #livingToken(): Promise<bigint | null> {
    for (const token of this.#folder.tokens(this.#election)) if (await this.#isAlive(token)) return token;
    return null;
  }

  /** If no file tells the last token, the clock is above it: a leadership takes more than a millisecond. */
  #nextToken(last: Info | null): bigint {
    const known = [this.#newest, ...this.#folder.tokens(this.#election), BigInt(last?.token ?? 0)];
    const next = known.reduce((a, b) => (a > b ? a : b)) + 1n;
    const clock = BigInt(Date.now());
    return last === null && clock > next ? clock : next;
  }

  #socketOf(token: bigint): string {
    return this.#folder.socket(`${this.#election}@${token}`);
  }

  async #isAlive(token: bigint): Promise<boolean> {
    return await this.#line.open(this.#socketOf(token));
  }

  /**
   * Tries to become the next leader after this one. Null: another process was faster. Everything that may fail comes
   * first, where possible.
   */
  async #follow(last: Info | null, first: FirstValue | null, call: Call): Promise<LocalGrant | null> {
    const token = this.#nextToken(last);
    const { value, version } = openedBy(last ?? { value: null, version: 0 }, token, first);
    const name = this.#folder.socketName(this.#election, token);
    const info = this.#infoOf(token, value, version);
    const draft = await this.#folder.draftInfo(info);
    const post = new Post(() => this.#hint('ours'));
    let isKept = false;
    try {
      if (call.signal.aborted || !(await post.open(this.#folder.socket(name)))) return null;
      this.#folder.share(name);
      const inode = this.#folder.inode(name);
      if (inode === null) throw new Error('the folder was deleted');
      const grant = { token, post, inode };
      const older = await this.#deadBefore(token, last);
      if (older === null || call.signal.aborted || !this.#isOurs(grant)) return null;
      for (const each of older) this.#folder.remove(`${this.#election}@${each}`);
      this.#folder.sweep();
      this.#folder.tellInfo(draft, this.#election);
      await this.#folder.settle();
      this.#line.close();
      this.#grant = grant;
      this.#info = info;
      this.#newest = token;
      isKept = true;
      return grant;
    } finally {
      if (!isKept) post.close();
      this.#folder.remove(draft);
    }
  }

  /** The tokens below ours, all dead, now that ours is bound. Null: another process leads, may lead, or has led. */
  async #deadBefore(token: bigint, last: Info | null): Promise<bigint[] | null> {
    const [newest, ...older] = this.#folder.tokens(this.#election);
    if (newest !== token || this.#folder.info(this.#election)?.token !== last?.token) return null;
    for (const each of older) if (await this.#isAlive(each)) return null;
    return older;
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

  /** False: we are not the leader any more, and nothing was written. */
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
    if (token > this.#newest) this.#newest = token;
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
