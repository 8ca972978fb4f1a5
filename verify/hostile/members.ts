/** Members in processes of their own, and what they say of themselves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { Origin, Register } from '../../src/protocols/quorum/messages.ts';
import { SECTOR } from '../../src/store/index.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface Status {
  readonly acting: boolean;
  readonly token: string | null;
  readonly leader: unknown;
  readonly role: string;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a member answers.
  readonly body: any;
}

export class Process {
  readonly id: number;
  readonly url: string;
  readonly data: string;
  readonly log: string[] = [];
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #agent = new http.Agent({ keepAlive: true });
  #child: ChildProcess | null = null;

  constructor(
    id: number,
    urls: ReadonlyMap<number, string>,
    folder: string,
    timing: readonly string[],
    secret: string | null,
  ) {
    this.#env = { ...process.env, ...(secret === null ? {} : { CAUCUS_SECRET: secret }) };
    this.id = id;
    this.url = urls.get(id)!;
    this.data = path.join(folder, String(id));
    const peers = [...urls].map(([each, url]) => `${each}=${url}`).join(',');
    this.#args = ['node', '--id', String(id), '--peers', peers, '--data', this.data, ...timing];
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  start(): void {
    const child = spawn(process.execPath, [MAIN, ...this.#args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#env,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.log.push(...text.trimEnd().split('\n')));
  }

  /** At once, as a crash. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child!, 'exit');
    this.#child!.kill('SIGKILL');
    await ended;
  }

  ask(method: string, target: string, body?: unknown): Promise<Answer> {
    const url = new URL(this.url + target);
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers =
      text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const request = http.request(url, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          let read: unknown = answer;
          try {
            read = JSON.parse(answer);
          } catch {
            // It is no JSON.
          }
          resolve({ status: response.statusCode ?? 0, body: read });
        });
      });
      request.on('error', reject);
      request.setTimeout(10_000, () => request.destroy(new Error('no answer within 10 s')));
      request.end(text);
    });
  }

  /** Null if it does not answer. */
  async status(): Promise<Status | null> {
    try {
      return (await this.ask('GET', '/status')).body as Status;
    } catch {
      return null;
    }
  }

  /** What is on its disk: the file holds the last two records, in sectors that end with a seal. */
  record(): { origin: Origin; term: number; register: Register } {
    const bytes = readFileSync(path.join(this.data, 'election-main.json'));
    const records = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
      .map((copy) => withoutSeals(copy).split(/[\n\0]+/))
      .filter(([head]) => head?.startsWith('{"format"'))
      .map(([head, record]) => ({ sequence: JSON.parse(head!).sequence as number, record: record! }))
      .sort((a, b) => b.sequence - a.sequence);
    const { disk, start, term, register } = JSON.parse(records[0]!.record);
    return { origin: { disk, start, life: '' }, term, register };
  }
}

const SEAL_LENGTH = 8;

function withoutSeals(copy: Buffer): string {
  const sectors = Array.from({ length: copy.length / SECTOR }, (_, i) =>
    copy.subarray(i * SECTOR, (i + 1) * SECTOR - SEAL_LENGTH),
  );
  return Buffer.concat(sectors).toString('utf8');
}
