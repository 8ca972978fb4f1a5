/** Replicas of one partition in processes of their own, and which of them works on which shard. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { compiled } from './compiled.ts';
import type { ShardPlan } from './shard-replica.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'shard-replica.ts'));
const LONGEST_WAIT_MS = 120_000;

type Said =
  | { readonly is: 'up'; readonly atMs: number }
  | { readonly is: 'began'; readonly shard: number; readonly token: string; readonly atMs: number }
  | { readonly is: 'ended'; readonly shard: number; readonly token: string };

interface Work {
  readonly replica: number;
  readonly token: bigint;
  readonly atMs: number;
}

export class ShardLab {
  readonly #shards: number;
  readonly #replicas = new Map<number, ChildProcess>();
  /** By shard: the work with the greatest token. */
  readonly #works = new Map<number, Work>();
  readonly #up = new Map<number, number>();
  #look = (): void => {};

  constructor(shards: number) {
    this.#shards = shards;
  }

  start(replica: number, plan: ShardPlan): void {
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(plan)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    this.#replicas.set(replica, child);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (this.#replicas.get(replica) === child) this.#hear(replica, JSON.parse(line) as Said);
    });
  }

  /** As by `kill -9`. Returns when. */
  async kill(replica: number): Promise<number> {
    const child = this.#replicas.get(replica)!;
    const gone = once(child, 'exit');
    const atMs = performance.timeOrigin + performance.now();
    this.#replicas.delete(replica);
    this.#up.delete(replica);
    child.kill('SIGKILL');
    await gone;
    return atMs;
  }

  get pids(): readonly number[] {
    return [...this.#replicas.values()].map(({ pid }) => pid!);
  }

  /** When the works of the moment began that began after this, in order. */
  begunSince(sinceMs: number): readonly number[] {
    return [...this.#works.values()]
      .map(({ atMs }) => atMs)
      .filter((atMs) => atMs > sinceMs)
      .sort((a, b) => a - b);
  }

  /** When this replica could take part. */
  async up(replica: number): Promise<number> {
    await this.#until(`replica ${replica} up`, () => this.#up.has(replica));
    return this.#up.get(replica)!;
  }

  /** How many shards each replica works on. */
  get loads(): readonly number[] {
    return [...this.#replicas.keys()].map(
      (replica) => [...this.#works.values()].filter((work) => work.replica === replica).length,
    );
  }

  get #isOwned(): boolean {
    return this.loads.reduce((sum, load) => sum + load, 0) === this.#shards;
  }

  /** Waits until replicas that live work on all shards. Returns when the last of them began. */
  async owned(): Promise<number> {
    await this.#until('every shard owned', () => this.#isOwned);
    return Math.max(...[...this.#works.values()].map(({ atMs }) => atMs));
  }

  /** The same, and no replica has two shards more than another. */
  async balanced(): Promise<number> {
    await this.#until(
      'shards balanced within one',
      () => this.#isOwned && Math.max(...this.loads) - Math.min(...this.loads) <= 1,
    );
    return Math.max(...[...this.#works.values()].map(({ atMs }) => atMs));
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#replicas.values()].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
        await once(child, 'exit');
        clearTimeout(late);
      }),
    );
  }

  #hear(replica: number, said: Said): void {
    if (said.is === 'up') {
      this.#up.set(replica, said.atMs);
      return this.#look();
    }
    const token = BigInt(said.token);
    const known = this.#works.get(said.shard);
    if (said.is === 'began' && token > (known?.token ?? 0n))
      this.#works.set(said.shard, { replica, token, atMs: said.atMs });
    if (said.is === 'ended' && token === known?.token) this.#works.set(said.shard, { ...known, replica: -1 });
    this.#look();
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        this.#look = () => {};
        reject(new Error(`expected ${what} within ${LONGEST_WAIT_MS / 1000} s, found loads ${this.loads}`));
      }, LONGEST_WAIT_MS);
      this.#look = () => {
        if (!isSo()) return;
        this.#look = () => {};
        clearTimeout(late);
        resolve();
      };
      this.#look();
    });
  }
}

/** What is wrong with the order in which works wrote: after a token, no smaller one of its shard. */
export function staleWrites(lines: string): string[] {
  const greatest = new Map<string, bigint>();
  const stale: string[] = [];
  for (const line of lines.trimEnd().split('\n')) {
    const [shard = '', token = '0'] = line.split(' ');
    if (BigInt(token) < (greatest.get(shard) ?? 0n)) stale.push(`${line} after ${greatest.get(shard)}`);
    else greatest.set(shard, BigInt(token));
  }
  return stale;
}
