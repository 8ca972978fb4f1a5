import {
  chmodSync,
  closeSync,
  type FSWatcher,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Json } from '../../core/index.ts';

/** The longest name that a socket can have. */
const LONGEST_SOCKET = 100;

/** Who leads, for those who cannot ask: the socket tells only whether it lives. */
export interface Info {
  readonly token: string;
  readonly leader: string;
  readonly value: Json;
  readonly version: number;
}

/** The folder in which the processes of a machine meet. */
export class Folder {
  readonly path: string;
  #handle: number | null = null;
  #watcher: FSWatcher | null = null;
  readonly #listeners = new Set<(file: string) => void>();

  constructor(folder: string) {
    this.path = folder;
  }

  /** Makes it if it is not there. Nobody else is let in unless it was there before. */
  open(): void {
    if (mkdirSync(this.path, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(this.path, 0o700);
  }

  /** All tokens that were ever given and are not cleared away, the newest first. */
  tokens(election: string): bigint[] {
    const prefix = `${election}@`;
    return readdirSync(this.path)
      .filter((file) => file.startsWith(prefix) && /^\d+$/.test(file.slice(prefix.length)))
      .map((file) => BigInt(file.slice(prefix.length)))
      .sort((a, b) => (a < b ? 1 : -1));
  }

  /** True for the one who comes first. */
  claim(from: string, election: string, token: bigint): boolean {
    try {
      linkSync(path.join(this.path, from), path.join(this.path, `${election}@${token}`));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  remove(file: string): void {
    rmSync(path.join(this.path, file), { force: true });
  }

  /** Tells two files of one name apart; null if there is none. */
  inode(file: string): bigint | null {
    return statSync(path.join(this.path, file), { bigint: true, throwIfNoEntry: false })?.ino ?? null;
  }

  info(election: string): Info | null {
    try {
      return JSON.parse(readFileSync(path.join(this.path, `${election}@info`), 'utf8')) as Info;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Whole or not at all. */
  saveInfo(election: string, info: Info): void {
    const temporary = path.join(this.path, `${election}@info.${process.pid}`);
    writeFileSync(temporary, JSON.stringify(info), { mode: 0o600 });
    renameSync(temporary, path.join(this.path, `${election}@info`));
  }

  /** A name for a socket here. It has room for some hundred bytes, so a long path is shortened by way of an open folder. */
  socket(file: string): string {
    const name = path.join(this.path, file);
    if (Buffer.byteLength(name) < LONGEST_SOCKET) return name;
    this.#handle ??= openSync(this.path, 'r');
    return `/proc/self/fd/${this.#handle}/${file}`;
  }

  /** Calls with the name of every file that comes, goes or changes, as far as the system tells. */
  watch(listener: (file: string) => void): () => void {
    this.#listeners.add(listener);
    try {
      this.open();
      this.#watcher ??= this.#startWatcher();
    } catch {
      // Nobody is woken then, and everybody looks now and then.
    }
    return () => this.#listeners.delete(listener);
  }

  #startWatcher(): FSWatcher {
    const watcher = watch(this.path, (_, file) => {
      if (file !== null) for (const listener of [...this.#listeners]) listener(file);
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  }

  close(): void {
    this.#watcher?.close();
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }
}
