import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { start } from './caucus.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
export type Printed = any;

/** A cluster of `caucus up --json` whose events can be waited for. */
export class UpCluster {
  readonly process: ChildProcess;
  readonly events: Printed[] = [];
  readonly ended: Promise<number | null>;
  readonly #waiting = new Set<() => void>();
  #complaints = '';
  #over: string | null = null;

  constructor(args: readonly string[]) {
    this.process = start(['up', '--json', ...args]);
    createInterface({ input: this.process.stdout! }).on('line', (line) => {
      this.events.push(JSON.parse(line));
      for (const look of [...this.#waiting]) look();
    });
    this.process.stderr!.setEncoding('utf8').on('data', (text) => {
      this.#complaints += text;
    });
    this.ended = new Promise((resolve) => this.process.on('close', resolve));
    void this.ended.then((code) => {
      this.#over = `caucus up ended with ${code}: ${this.#complaints}`;
      for (const look of [...this.#waiting]) look();
    });
  }

  /** The first event from this place on that fits. Fails if the cluster ends before. */
  seen(fits: (event: Printed) => boolean, from = 0): Promise<Printed> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.slice(from).find(fits);
        if (found === undefined && this.#over === null) return;
        this.#waiting.delete(look);
        if (found === undefined) reject(new Error(this.#over!));
        else resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** The pid under which a member runs now. */
  pidOf(id: number): number {
    return this.events.findLast((event) => event.event === 'member' && event.id === id).pid;
  }

  /** Where the page of the whole cluster is. */
  async pageUrl(): Promise<string> {
    return (await this.seen(({ event }) => event === 'page')).url;
  }

  /** The token of the page, with --chaos. */
  async pageToken(): Promise<string> {
    const { tokenFile } = await this.seen(({ event }) => event === 'page');
    return readFileSync(tokenFile, 'utf8').trim();
  }

  /** The address that a terminal shows with --chaos. */
  async pageWithToken(): Promise<string> {
    return `${await this.pageUrl()}#token=${await this.pageToken()}`;
  }

  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    await this.ended;
  }
}

export const isActing = (event: Printed): boolean => event.event === 'acting';
