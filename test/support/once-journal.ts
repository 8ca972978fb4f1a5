/** What the works of replicas write when they begin and end: one line each, which the system appends as a whole. */
import { closeSync, openSync, readSync } from 'node:fs';

export interface JournalEntry {
  /** `fired`: node-cron has asked whether to run it. */
  readonly what: 'fired' | 'begin' | 'end';
  readonly occasion: string;
  readonly token: bigint;
  readonly attempt: number;
  readonly replica: string;
}

export function journalLine({ what, occasion, token, attempt, replica }: JournalEntry): string {
  return `${what} ${occasion} ${token} ${attempt} ${replica}\n`;
}

/** Reads a journal that grows. */
export class Journal {
  readonly #file: number;
  #rest = '';

  constructor(file: string) {
    this.#file = openSync(file, 'a+');
  }

  /** What was written since the last call. */
  read(): JournalEntry[] {
    const buffer = Buffer.alloc(65_536);
    let text = this.#rest;
    for (;;) {
      const bytes = readSync(this.#file, buffer, 0, buffer.length, null);
      if (bytes === 0) break;
      text += buffer.toString('utf8', 0, bytes);
    }
    const lines = text.split('\n');
    this.#rest = lines.pop()!;
    return lines.map((line) => {
      const [what, occasion, token, attempt, replica] = line.split(' ');
      return {
        what: what as JournalEntry['what'],
        occasion: instantOf(occasion!),
        token: BigInt(token!),
        attempt: Number(attempt),
        replica: replica!,
      };
    });
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Schedules and node-cron write the same moment differently. */
export function instantOf(occasion: string): string {
  return new Date(occasion).toISOString();
}
