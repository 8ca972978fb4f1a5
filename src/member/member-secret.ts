/**
 * The secrets of a member: from an option, or from a file that is read again when it changes, so that a secret is
 * replaced without a restart, which would cost a leadership.
 */
import { unwatchFile, watchFile } from 'node:fs';
import path from 'node:path';
import { readSecretFile, readSecrets, Secrets } from '../auth/index.ts';
import { BadInput } from '../core/index.ts';
import type { AnyJoinOptions, LogEntry } from './join-options.ts';

const LOOK_EVERY_MS = 1000;

export function readSecretOptions({ secret, secretFile }: AnyJoinOptions): MemberSecret {
  if (secret === undefined && secretFile === undefined) return new MemberSecret(null, null);
  if (secret !== undefined && secretFile !== undefined)
    throw new BadInput('secretFile', 'it or secret', 'both');
  if (secretFile === undefined) return new MemberSecret(readSecrets(secret, 'secret'), null);
  // Made absolute now: the program may change its working directory later.
  const file = path.resolve(secretFile);
  return new MemberSecret(readFile(file), file);
}

function readFile(file: string): Secrets['list'] {
  return readSecrets(readSecretFile(file, 'secretFile'), `secretFile (${file})`);
}

export class MemberSecret {
  /** Null if the member has none, and never gets one. */
  readonly secrets: Secrets | null;
  readonly #file: string | null;
  #log: (entry: LogEntry) => void = () => {};
  readonly #look = (): void => this.reload();

  constructor(list: Secrets['list'] | null, file: string | null) {
    this.secrets = list === null ? null : new Secrets(list);
    this.#file = file;
  }

  /** Begins to watch the file. Not by events of the file system: they are lost when the file is replaced. */
  watch(log: (entry: LogEntry) => void): void {
    this.#log = log;
    if (this.#file === null) return;
    watchFile(this.#file, { interval: LOOK_EVERY_MS, persistent: false }, this.#look);
  }

  close(): void {
    if (this.#file !== null) unwatchFile(this.#file, this.#look);
  }

  /** Throws BadInput, and keeps the old ones, if these cannot be used. */
  replace(given: unknown): void {
    if (this.secrets === null)
      throw new BadInput('secret', 'none, since the member was started without one', 'one');
    this.#use(readSecrets(given, 'secret'));
  }

  /** Reads the file again. If it cannot be used, the old secrets stay valid and the log says why. */
  reload(): void {
    if (this.#file === null) return;
    try {
      this.#use(readFile(this.#file));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      this.#log({ level: 'warning', message: `the secrets stay as they were: ${error.message}` });
    }
  }

  #use(list: Secrets['list']): void {
    if (this.secrets?.replace(list) !== true) return;
    const [first, second] = list.map(({ fingerprint }) => fingerprint);
    const other = second === undefined ? 'no other is accepted' : `${second} is accepted too`;
    this.#log({ level: 'info', message: `the secret is now ${first} (a fingerprint); ${other}` });
  }
}
