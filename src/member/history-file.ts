import { existsSync, readFileSync } from 'node:fs';
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import type { Act, Change } from '../api/index.ts';
import { CAUSES, type Cause } from '../core/index.ts';
import { WriteTurns } from './write-turns.ts';

/** Changes of leader and acts of operators that outlive the process. */
export interface HistoryLog {
  /** What earlier processes of this member wrote, oldest first, bounded. */
  readonly changes: readonly Change[];
  readonly acts: readonly Act[];
  /** Returns at once; the disk is written behind it. */
  add(entry: Change | Act): void;
  /** Settles when everything that was added is in the file. */
  close(): Promise<void>;
}

/** For members that keep nothing. */
export const forgetfulHistory: HistoryLog = {
  changes: [],
  acts: [],
  add: () => {},
  close: () => Promise.resolve(),
};

/**
 * What earlier processes wrote, and that this one has started: between their last entry and this one, the member did not
 * run. Nothing if they wrote nothing.
 */
export function continued(history: HistoryLog, detail: string, atMs: number): readonly Change[] {
  const { changes } = history;
  if (changes.length === 0) return changes;
  const started = { atMs, leader: null, token: null, cause: 'started', detail, about: 'member' } as const;
  history.add(started);
  return [...changes, started];
}

/** So many lines are read; the file is cut down to them when it has twice as many. */
const LONGEST = 1000;
const HEADER = '{"caucus":"history/1"}';

/**
 * The history of one election in the data folder: one JSON object a line, the newest last. No election depends on
 * this file, so it is written without waiting for the disk and is not synced: a process that is killed loses nothing
 * but what waits for its turn (write-turns.ts), a machine that loses power may lose the last lines. A file that cannot
 * be read or written costs the history, and nothing else.
 */
export class HistoryFile implements HistoryLog {
  readonly changes: readonly Change[];
  readonly acts: readonly Act[];

  readonly #file: string;
  readonly #onFailure: (reason: string) => void;
  readonly #turns: WriteTurns;
  #lines: number;
  #pending: string[] = [];
  #writing: Promise<void> | null = null;
  /** A file of a later format is left alone. */
  readonly #isOurs: boolean;
  #hasFailed = false;

  constructor(file: string, onFailure: (reason: string) => void, turns: WriteTurns = new WriteTurns()) {
    this.#file = file;
    this.#onFailure = onFailure;
    this.#turns = turns;
    const [header, ...lines] = this.#read();
    this.#isOurs = header === undefined || header === HEADER;
    if (!this.#isOurs) this.#fail('another version of caucus wrote it: what happens now is not added to it');
    this.#lines = header === undefined ? 0 : lines.length + 1;
    const entries = this.#isOurs ? lines.slice(-LONGEST).map(readEntry) : [];
    this.changes = entries.filter((entry) => entry !== null && 'cause' in entry);
    this.acts = entries.filter((entry) => entry !== null && 'what' in entry);
  }

  add(entry: Change | Act): void {
    if (!this.#isOurs) return;
    this.#pending.push(lineOf(entry));
    // On a disk that hangs, the newest are worth keeping.
    if (this.#pending.length > LONGEST) this.#pending.shift();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async close(): Promise<void> {
    this.#turns.hurry();
    await this.#writing;
  }

  #read(): string[] {
    // Thousands of elections have none yet, and an error for each takes longer than this look.
    if (!existsSync(this.#file)) return [];
    try {
      return linesOf(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#fail((error as Error).message);
      return [];
    }
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0) await this.#turns.take(() => this.#writePending());
  }

  async #writePending(): Promise<void> {
    const added = this.#pending;
    this.#pending = [];
    try {
      if (this.#lines + added.length > 2 * LONGEST) await this.#cut(added);
      else await this.#append(added);
      this.#hasFailed = false;
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  /** A line that was cut off by a crash must not run into the next one, so each write begins a new line. */
  async #append(added: readonly string[]): Promise<void> {
    const lines = this.#lines === 0 ? [HEADER, ...added] : added;
    await appendFile(this.#file, `\n${lines.join('\n')}\n`, { mode: 0o600 });
    this.#lines += lines.length;
  }

  async #cut(added: readonly string[]): Promise<void> {
    const [, ...before] = linesOf(await readFile(this.#file, 'utf8'));
    const lines = [HEADER, ...[...before, ...added].slice(-LONGEST)];
    const draft = `${this.#file}.new`;
    await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
    this.#lines = lines.length;
  }

  /** Told once, until a write succeeds again. */
  #fail(reason: string): void {
    if (!this.#hasFailed) this.#onFailure(`${this.#file}: the history is not kept: ${reason}`);
    this.#hasFailed = true;
  }
}

function lineOf(entry: Change | Act): string {
  return JSON.stringify(entry, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** The content of a history file with one more entry; that of a later format as it is. */
export function withEntry(text: string, entry: Change | Act): string {
  const lines = linesOf(text);
  if (lines.length > 0 && lines[0] !== HEADER) return text;
  return `${[HEADER, ...lines.slice(1), lineOf(entry)].join('\n')}\n`;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Null for a line that a crash has cut off, or that a later version wrote. */
function readEntry(line: string): Change | Act | null {
  try {
    const found = JSON.parse(line) as Record<string, unknown>;
    if (typeof found.atMs !== 'number' || !Number.isFinite(new Date(found.atMs).getTime())) return null;
    return typeof found.what === 'string' ? readAct(found) : readChange(found);
  } catch {
    return null;
  }
}

function readChange({ atMs, leader, token, cause, detail, about }: Record<string, unknown>): Change | null {
  const isId = leader === null || typeof leader === 'string' || typeof leader === 'number';
  if (!isId || typeof detail !== 'string' || !CAUSES.includes(cause as Cause)) return null;
  return {
    atMs: atMs as number,
    leader,
    token: typeof token === 'string' ? BigInt(token) : null,
    cause: cause as Cause,
    detail,
    ...(about === 'member' ? { about } : {}),
  };
}

function readAct(found: Record<string, unknown>): Act | null {
  const isText = (field: string): boolean => typeof found[field] === 'string';
  if (!['at', 'electionName', 'from', 'what', 'outcome'].every(isText)) return null;
  return found.by === null || isText('by') ? (found as unknown as Act) : null;
}
