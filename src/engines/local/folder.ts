import { randomBytes } from 'node:crypto';
import {
  closeSync,
  type FSWatcher,
  fstatSync,
  fsync,
  lstatSync,
  lutimesSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  watch,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CaucusError } from '../../election/index.ts';
import { type Info, readInfo } from './info.ts';
import { makeFolder } from './make-folder.ts';
import { networkDisk } from './network-disk.ts';
import { infoRights, letIn, socketRights } from './rights.ts';

const sync = promisify(fsync);

/** The longest socket path on every system, and on Linux. */
const SHORT_SOCKET = 100;
const LONGEST_SOCKET = 107;
/** Tokens have at most this many digits, so that they fit into the name of a socket. */
const TOKEN = /^\d{1,19}$/;
/** The name of a file before it gets its final one. */
const DRAFT = /^@[0-9a-f]{12}$/;
/** Files in use are refreshed this often. Cleaners of temporary files wait for days. */
const FRESH_MS = 600_000;
/** Writing a draft takes less than this, unless its process was killed or stopped. */
const DRAFT_MS = 60_000;

/**
 * The folder through which the processes of a machine find each other. It may be deleted and created again at any
 * time.
 */
export class Folder {
  readonly path: string;
  /** Whether the folder must belong to this user alone. */
  readonly #isPrivate: boolean;
  /** An open handle of the folder. While it is open no other folder can have the same identity. */
  #handle: number | null = null;
  #watcher: FSWatcher | null = null;
  readonly #listeners = new Set<(file: string) => void>();

  constructor(folder: string, isPrivate: boolean) {
    this.path = folder;
    this.#isPrivate = isPrivate;
  }

  /** Creates it if it is missing, closed to other users. */
  make(): void {
    if (this.enter()) return;
    try {
      makeFolder(this.path);
    } catch (cause) {
      if (!this.#isPrivate) throw cause;
      const message = `cannot make the folder of local: (${(cause as Error).message}): name another as local:/path`;
      throw new CaucusError('E_REFUSED', message, { cause });
    }
    this.enter();
  }

  /** False: it is missing. Checks whether it is still the same folder, and opens it otherwise. */
  enter(): boolean {
    const found = this.#look();
    if (found === null) {
      this.#leave();
      return false;
    }
    if (this.#handle !== null) {
      const known = fstatSync(this.#handle);
      if (known.dev === found.dev && known.ino === found.ino) return true;
      this.#leave();
    }
    const shared = networkDisk(this.path);
    if (shared !== null) {
      const message = `${this.path} is on a network disk (${shared}), where a leader of another machine looks dead`;
      throw new CaucusError('E_REFUSED', `${message}: name a folder of this machine as local:/path`);
    }
    this.#handle = openSync(this.path, 'r');
    this.#startWatcher();
    return true;
  }

  #look(): Stats | null {
    const found = (this.#isPrivate ? lstatSync : statSync)(this.path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    // Where all users may write, another user may have created it first.
    const isOurs = found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
    if (isOurs || !this.#isPrivate) return found;
    const message = `${this.path} is not a folder that belongs to this user, and that no other user may write to`;
    throw new CaucusError('E_REFUSED', `${message}: have it removed, or name another as local:/path`);
  }

  /**
   * Makes a socket of ours accessible to all users that may write to this folder: they need that right to find out
   * whether we live.
   */
  share(socket: string): void {
    letIn(path.join(this.path, socket), socketRights(statSync(this.path)));
  }

  /** A name that no election's file has. */
  newName(): string {
    return `@${randomBytes(6).toString('hex')}`;
  }

  /** All tokens with a file, the newest first. */
  tokens(election: string): bigint[] {
    const prefix = `${election}@`;
    return readdirSync(this.path)
      .filter((file) => file.startsWith(prefix) && TOKEN.test(file.slice(prefix.length)))
      .map((file) => BigInt(file.slice(prefix.length)))
      .sort((a, b) => (a < b ? 1 : -1));
  }

  /** The name of the socket of the leader with this token. */
  socketName(election: string, token: bigint): string {
    if (!TOKEN.test(String(token))) throw new Error(`the last token of ${election} was already given`);
    return `${election}@${token}`;
  }

  /** Removes drafts that no process uses any more; those of another user may have to stay. */
  sweep(): void {
    for (const file of readdirSync(this.path)) {
      if (!DRAFT.test(file)) continue;
      try {
        const { mtimeMs } = lstatSync(path.join(this.path, file));
        if (Date.now() - mtimeMs > DRAFT_MS) this.remove(file);
      } catch {
        // A leftover draft does no harm.
      }
    }
  }

  remove(file: string): void {
    try {
      unlinkSync(path.join(this.path, file));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** Distinguishes two files of one name; null if there is none. */
  inode(file: string): bigint | null {
    return statSync(path.join(this.path, file), { bigint: true, throwIfNoEntry: false })?.ino ?? null;
  }

  /** Null also if it cannot be read, as after a crash of the machine: a retry would not help. */
  info(election: string): Info | null {
    try {
      return readInfo(readFileSync(path.join(this.path, `${election}@info`), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Writes it to the disk, and returns the name of the draft. It takes effect when it is renamed. */
  async draftInfo(info: Info): Promise<string> {
    const file = this.newName();
    const handle = await open(path.join(this.path, file), 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(info));
      await handle.chmod(infoRights(statSync(this.path)));
      await handle.sync();
    } catch (error) {
      this.remove(file);
      throw error;
    } finally {
      await handle.close();
    }
    return file;
  }

  tellInfo(file: string, election: string): void {
    renameSync(path.join(this.path, file), path.join(this.path, `${election}@info`));
  }

  /** Makes it durable: a power failure does not undo it any more. */
  async settle(): Promise<void> {
    if (this.#handle !== null) await sync(this.#handle);
  }

  /** Shows cleaners of temporary files that these files are in use. */
  keepFresh(files: readonly string[]): void {
    const nowMs = Date.now();
    for (const file of files) {
      const name = path.join(this.path, file);
      try {
        if (nowMs - lstatSync(name).mtimeMs > FRESH_MS) lutimesSync(name, nowMs / 1000, nowMs / 1000);
      } catch {
        // It was deleted a moment ago, which is detected elsewhere.
      }
    }
  }

  /**
   * A path for a socket here. It may have about a hundred bytes, so a long path is shortened through an open folder.
   */
  socket(file: string): string {
    const name = path.join(this.path, file);
    if (Buffer.byteLength(name) < SHORT_SOCKET) return name;
    if (this.#handle === null) throw new Error(`${this.path} is not there any more`);
    const short = `/proc/self/fd/${this.#handle}/${file}`;
    // A longer path would be truncated, and name another socket.
    if (Buffer.byteLength(short) <= LONGEST_SOCKET) return short;
    throw new Error(`no socket can be called ${file}: it is too long`);
  }

  /** Calls back with the name of every file that appears, vanishes or changes, as far as the system reports it. */
  watch(listener: (file: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Without a watcher no process is woken, and each one polls. */
  #startWatcher(): void {
    try {
      const watcher = watch(this.path, (_, file) => {
        if (file !== null) for (const listener of [...this.#listeners]) listener(file);
      });
      watcher.on('error', () => watcher.close());
      this.#watcher = watcher;
    } catch {
      this.#watcher = null;
    }
  }

  #leave(): void {
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }

  close(): void {
    this.#leave();
  }
}
