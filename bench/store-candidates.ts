/** Candidates on a store with a client of today, and the server that they need. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from '../test/support/compiled.ts';
import type { CandidatePlan } from './candidate-process.ts';
import { Candidates, nowMs } from './candidates.ts';
import type { Client } from './contenders.ts';
import type { Bed } from './engines.ts';
import { cpuMsOf, familyOf, rssMbOf } from './process-cost.ts';
import type { Rest } from './rivals.ts';

interface StoreOptions {
  readonly client: Client;
  readonly leaseMs: number;
  readonly elections?: number;
}

export class StoreCandidates extends Candidates {
  readonly #bed: Bed;

  private constructor(bed: Bed, script: string, { client, leaseMs, elections = 1 }: StoreOptions) {
    const plan: CandidatePlan = { client, url: bed.url, prefix: `bench-${process.pid}`, leaseMs, elections };
    super({
      elections,
      settleMs: 200,
      replacesPaused: true,
      launch: async () =>
        spawn(process.execPath, [script, JSON.stringify(plan)], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        }),
    });
    this.#bed = bed;
  }

  static async open(open: () => Promise<Bed>, options: StoreOptions): Promise<StoreCandidates> {
    const script = await compiled(path.resolve(import.meta.dirname, 'candidate-process.ts'));
    const made = new StoreCandidates(await open(), script, options);
    try {
      for (const id of [1, 2, 3]) await made.start(id);
      await made.settled();
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }

  /** The messages of candidates are the requests that the server counts. */
  override async rest(seconds: number): Promise<Rest> {
    const before = await this.#serverCounts();
    const fromMs = nowMs();
    const rest = await super.rest(seconds);
    const tookS = (nowMs() - fromMs) / 1000;
    const after = await this.#serverCounts();
    return {
      ...rest,
      server: {
        cpuMs: (after.cpuMs - before.cpuMs) / tookS,
        rssMb: after.rssMb,
        messages: (after.requests - before.requests) / tookS,
        bytes: Number.NaN,
      },
    };
  }

  async #serverCounts(): Promise<{ requests: number; cpuMs: number; rssMb: number }> {
    const requests = await this.#bed.requests();
    // A server may have answered by a process that ends now, and is none of those at rest.
    await sleep(100);
    const family = familyOf(this.#bed.pid);
    const sum = (of: (pid: number) => number): number => family.reduce((total, pid) => total + of(pid), 0);
    return { requests, cpuMs: sum(cpuMsOf), rssMb: sum(rssMbOf) };
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#bed.close();
  }
}
