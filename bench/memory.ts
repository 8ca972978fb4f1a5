/**
 * What each election of a member takes: the heap of three members at rest with one election and with many, after a forced
 * garbage collection. `CAUCUS_BENCH_ELECTIONS=2000` sets how many, `CAUCUS_BENCH_SNAPSHOT=FILE` writes a heap snapshot of one
 * member.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../test/support/free-ports.ts';
import { using } from './closing.ts';
import { printTable } from './table.ts';

const MEMBER = fileURLToPath(new URL('./memory-member.mjs', import.meta.url));
const SIZES = (process.env.CAUCUS_BENCH_ELECTIONS ?? '2000').split(',').map(Number);
const SNAPSHOT = process.env.CAUCUS_BENCH_SNAPSHOT;
/** For how long the members are left alone once all elections rest: histories are written. */
const REST_MS = 1000 * Number(process.env.CAUCUS_BENCH_REST_S ?? 10);
const LONGEST_START_MS = 300_000;

interface State {
  readonly led: number;
  /** How many have no messages and no timers of their own (src/support). */
  readonly resting: number;
}

interface Held {
  readonly led: number;
  readonly garbage: NodeJS.MemoryUsage;
  readonly memory: NodeJS.MemoryUsage;
}

class Members {
  readonly #folder = mkdtempSync(path.join(process.env.CAUCUS_BENCH_FOLDER ?? tmpdir(), 'caucus-bench-'));
  readonly #all: ChildProcess[] = [];

  static async open(elections: number): Promise<Members> {
    const members = new Members();
    const ports = await freePorts(3);
    const peers = ports.map((port, i) => ({ id: i + 1, url: `http://127.0.0.1:${port}` }));
    for (const { id } of peers) {
      const data = path.join(members.#folder, String(id));
      const args = [MEMBER, String(id), JSON.stringify(peers), data, String(elections)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      members.#all.push(child);
    }
    await Promise.all(members.#all.map((child) => once(child, 'message')));
    await members.#atRest(elections);
    return members;
  }

  /** All elections are led, and all but the main one rest on all members. */
  async #atRest(elections: number): Promise<void> {
    const latestMs = Date.now() + LONGEST_START_MS;
    while (Date.now() < latestMs) {
      const each = await this.ask<State>('state');
      const led = each.reduce((sum, state) => sum + state.led, 0);
      if (led === elections && each.every(({ resting }) => resting === elections - 1)) return;
      await sleep(500);
    }
    throw new Error(`${elections} elections did not come to rest within ${LONGEST_START_MS / 1000} s`);
  }

  async ask<T>(ask: string, file?: string, children = this.#all): Promise<readonly T[]> {
    return await Promise.all(
      children.map(async (child) => {
        child.send({ ask, file });
        return ((await once(child, 'message')) as [T])[0];
      }),
    );
  }

  async snapshot(file: string): Promise<void> {
    await this.ask('snapshot', file, this.#all.slice(0, 1));
  }

  async close(): Promise<void> {
    for (const child of this.#all) child.kill('SIGKILL');
    await Promise.all(this.#all.map((child) => child.signalCode === null && once(child, 'exit')));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function heldWith(elections: number): Promise<readonly Held[]> {
  return await using(Members.open(elections), async (members) => {
    await sleep(REST_MS);
    const held = await members.ask<Held>('memory');
    if (SNAPSHOT !== undefined && elections > 1) await members.snapshot(SNAPSHOT);
    return held;
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

export async function benchMemory(): Promise<void> {
  const one = await heldWith(1);
  for (const elections of SIZES) {
    const many = await heldWith(elections);
    const kb = (of: (held: Held) => number): number =>
      (mean(many.map(of)) - mean(one.map(of))) / (elections - 1) / 1024;
    printTable(`${elections} elections of three members at rest: KB for each more than one`, [
      {
        heap: kb(({ memory }) => memory.heapUsed),
        'outside of the heap': kb(({ memory }) => memory.external),
        'process, before collection': kb(({ garbage }) => garbage.rss),
        'process, after': kb(({ memory }) => memory.rss),
        'garbage and room': kb(({ garbage, memory }) => garbage.heapTotal - memory.heapUsed),
      },
    ]);
    process.stderr.write(
      `memory: led ${many.map(({ led }) => led)}, heap ${many.map(({ memory }) => memory.heapUsed)}\n`,
    );
  }
}
