import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestCa } from '../test/support/test-ca.ts';

const MEMBER = fileURLToPath(new URL('./takeover-member.mjs', import.meta.url));
const TICKS_PER_S = 100;

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** How members authenticate each other. */
export type Auth = 'none' | 'secret' | 'tls';

const SECRET = 'a-secret-of-the-bench-alone';

interface Word {
  readonly is: string;
  readonly name?: string;
  readonly acting?: boolean;
  readonly atMs: number;
  readonly messages?: number;
  readonly bytes?: number;
}

interface Process {
  readonly id: number;
  readonly child: ChildProcess;
  isActing: boolean;
  /** The elections in which it may act. */
  readonly leads: Set<string>;
}

/** The elections of a member that was killed. */
interface LedAgain {
  /** How many it led. */
  readonly lost: number;
  /** When each of those that are led again began to be, in ms after the kill, first to last; it grows. */
  readonly timesMs: readonly number[];
  /** All of them are led again. */
  readonly ended: Promise<void>;
}

/** Members as processes of their own, which tell when they may act. */
export class Cluster {
  readonly #folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-bench-'));
  readonly #peers: readonly { readonly id: number; readonly url: string }[];
  readonly #elections: number;
  readonly #timeoutMs: readonly [number, number];
  readonly #auth: Auth;
  readonly #ca: TestCa | null;
  readonly #processes = new Map<number, Process>();
  readonly #listeners = new Set<(from: Process, word: Word) => void>();
  /** Since when every election has a leader; null if one has none. */
  #allLedAtMs: number | null = null;

  private constructor(
    ports: readonly number[],
    elections: number,
    timeoutMs: readonly [number, number],
    auth: Auth,
    ca: TestCa | null,
  ) {
    this.#auth = auth;
    this.#timeoutMs = timeoutMs;
    this.#ca = ca;
    const scheme = ca === null ? 'http' : 'https';
    this.#peers = ports.map((port, i) => ({ id: i + 1, url: `${scheme}://127.0.0.1:${port}` }));
    this.#elections = elections;
  }

  static async open(
    members: number,
    elections: number,
    timeoutMs: readonly [number, number] = [150, 300],
    auth: Auth = 'none',
  ): Promise<Cluster> {
    const ca = auth === 'tls' ? await TestCa.open() : null;
    const cluster = new Cluster(await freePorts(members), elections, timeoutMs, auth, ca);
    await Promise.all(cluster.#peers.map(({ id }) => cluster.start(id)));
    await cluster.settled();
    return cluster;
  }

  async start(id: number): Promise<void> {
    const args = [MEMBER, String(id), JSON.stringify(this.#peers), path.join(this.#folder, String(id))];
    const child = spawn(process.execPath, [...args, String(this.#elections)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        ...process.env,
        TIMEOUT_MS: JSON.stringify(this.#timeoutMs),
        JOIN: JSON.stringify(await this.#joinOptions(id)),
      },
    });
    const made: Process = { id, child, isActing: false, leads: new Set() };
    this.#processes.set(id, made);
    child.on('message', (word: Word) => {
      if (word.is === 'acting') {
        if (word.name === 'main') made.isActing = word.acting!;
        if (word.acting!) made.leads.add(word.name!);
        else made.leads.delete(word.name!);
        if (this.#led < this.#elections) this.#allLedAtMs = null;
        else this.#allLedAtMs ??= word.atMs;
      }
      for (const listener of [...this.#listeners]) listener(made, word);
    });
    await this.#heard((from, { is }) => from === made && is === 'up');
  }

  async #joinOptions(id: number): Promise<object> {
    if (this.#ca !== null) return { tls: await this.#ca.member(id) };
    return this.#auth === 'secret' ? { secret: SECRET } : {};
  }

  get leader(): Process | undefined {
    return [...this.#processes.values()].find(({ isActing }) => isActing);
  }

  /** One leads, and has done so for a while: everybody is connected to it. */
  async settled(): Promise<Process> {
    for (;;) {
      const { leader } = this;
      if (leader === undefined) await this.#heard((_, { is }) => is === 'acting');
      else {
        await new Promise((resolve) => setTimeout(resolve, 500));
        if (this.leader === leader) return leader;
      }
    }
  }

  /** Every election has a leader. Resolves with when that began. */
  async allLed(): Promise<number> {
    while (this.#allLedAtMs === null) await this.#heard((_, { is }) => is === 'acting');
    return this.#allLedAtMs;
  }

  /** kill -9 of the member that leads most. */
  killBusiest(): LedAgain {
    const victim = [...this.#processes.values()].reduce((a, b) => (b.leads.size > a.leads.size ? b : a));
    const open = new Set(victim.leads);
    const lost = open.size;
    const timesMs: number[] = [];
    const fromMs = nowMs();
    const all = this.#heard((from, { is, acting, name, atMs }) => {
      if (is === 'acting' && from !== victim && acting === true && open.delete(name!)) {
        timesMs.push(atMs - fromMs);
        timesMs.sort((a, b) => a - b); // Two processes tell of it, each in its own time.
      }
      return open.size === 0;
    });
    const ended = Promise.all([this.kill(victim), all]).then(() => {});
    return { lost, timesMs, ended };
  }

  get #led(): number {
    return [...this.#processes.values()].reduce((sum, { leads }) => sum + leads.size, 0);
  }

  /**
   * How long it takes until a member may act again after this is done to the leader. It may be the same one: a leader that resigned is
   * elected again if the disks of the others take longer than a time-out. A leader that had lost its lease before it was asked to
   * resign says so, and the trial is held again.
   */
  async takeover(act: (leader: Process) => void): Promise<number> {
    const leader = await this.settled();
    let hasLost = false;
    const next = this.#heard((from, { is, acting, name }) => {
      if (is === 'refused') return true;
      if (is !== 'acting' || name !== 'main') return false;
      if (from === leader && acting === false) hasLost = true;
      return acting === true && (from !== leader || hasLost);
    });
    const fromMs = nowMs();
    act(leader);
    const { is, atMs } = await next;
    return is === 'refused' ? this.takeover(act) : atMs - fromMs;
  }

  async kill(leader: Process): Promise<void> {
    this.#processes.delete(leader.id);
    leader.child.kill('SIGKILL');
    await once(leader.child, 'exit');
  }

  /** Per second and member: processor time in ms, messages, bytes. And the memory of a member, in MB. */
  async idle(seconds: number): Promise<{ cpuMs: number; messages: number; bytes: number; rssMb: number }> {
    const before = await this.#totals();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const after = await this.#totals();
    const share = seconds * this.#processes.size;
    return {
      cpuMs: (after.cpuMs - before.cpuMs) / share,
      messages: (after.messages - before.messages) / share,
      bytes: (after.bytes - before.bytes) / share,
      rssMb: after.rssMb / this.#processes.size,
    };
  }

  close(): void {
    for (const { child } of this.#processes.values()) child.kill('SIGKILL');
    this.#processes.clear();
    rmSync(this.#folder, { recursive: true, force: true });
    this.#ca?.close();
  }

  async #totals(): Promise<{ cpuMs: number; messages: number; bytes: number; rssMb: number }> {
    const totals = { cpuMs: 0, messages: 0, bytes: 0, rssMb: 0 };
    for (const each of this.#processes.values()) {
      const heard = this.#heard((from, { is }) => from === each && is === 'traffic');
      each.child.send('traffic');
      const { messages, bytes } = await heard;
      const stat = readFileSync(`/proc/${each.child.pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      totals.cpuMs += ((Number(stat[11]) + Number(stat[12])) * 1000) / TICKS_PER_S;
      totals.rssMb += rssMbOf(each.child.pid!);
      totals.messages += messages!;
      totals.bytes += bytes!;
    }
    return totals;
  }

  #heard(fits: (from: Process, word: Word) => boolean): Promise<Word> {
    return new Promise((resolve) => {
      const listener = (from: Process, word: Word): void => {
        if (!fits(from, word)) return;
        this.#listeners.delete(listener);
        resolve(word);
      };
      this.#listeners.add(listener);
    });
  }
}

/** The memory of a process, in MB. */
export function rssMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
