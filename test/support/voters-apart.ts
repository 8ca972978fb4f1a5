/**
 * Real voters, each a process in its own network namespace, that find each other from a seed host alone. Used by the
 * tests, and for many rounds by `verify/voters.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Namespaces } from './namespaces.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const PORT = 7100;

interface Status {
  readonly role: string;
  readonly acting: boolean;
  readonly leader: string | null;
  readonly token: string | null;
  readonly knownVoters: readonly string[];
  readonly cause: string;
}

interface Running {
  readonly child: ChildProcess;
  /** Settles when it answers requests, or is gone. */
  readonly up: Promise<unknown>;
  readonly gone: Promise<unknown>;
}

/** A leadership that a process of a voter reported of itself. */
interface Win {
  readonly voter: string;
  readonly process: number | undefined;
  readonly token: string;
}

export class VotersApart {
  readonly wins: Win[] = [];
  readonly #lab: Namespaces;
  readonly #data = mkdtempSync(path.join(tmpdir(), 'caucus-voters-'));
  readonly #running = new Map<number, Running>();
  readonly #logs = new Map<string, string[]>();
  readonly #options: readonly string[];
  readonly #keep: string | null;
  /** What was waited for, and how long that took. */
  readonly #waits: string[] = [];

  /** `keep`: the folder for the logs and recordings of the voters, if one wants to know what happened. */
  constructor(count: number, options: readonly string[], keep: string | null = null) {
    this.#options = options;
    this.#keep = keep;
    if (keep !== null) mkdirSync(keep, { recursive: true });
    // One name with all addresses, as a DNS round robin has it.
    this.#lab = new Namespaces(count, () => 'voters');
  }

  get running(): number[] {
    return [...this.#running.keys()].sort((a, b) => a - b);
  }

  get lab(): Namespaces {
    return this.#lab;
  }

  start(voter: number): void {
    const address = this.#lab.address(voter);
    const [command, ...args] = this.#lab.command(
      voter,
      process.execPath,
      MAIN,
      'node',
      '--json',
      '--protocol',
      'draw',
      '--timing',
      'heartbeatMs=200',
      '--timing',
      'timeoutMs=[150,300]',
      '--listen',
      `${address}:${PORT}`,
      '--insecure',
      '--data',
      this.#folder(voter),
      ...this.#options.flatMap((option) => ['--option', option]),
      ...(this.#keep === null ? [] : ['--record', this.#keep]),
    );
    const env = { ...process.env, VOTER_ID: `v${voter}`, VOTER_URL: '/', SEED_HOST: `voters:${PORT}` };
    const child = spawn(command!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const up = new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          this.#read(`v${voter}`, child.pid, line);
          if (line.includes(' is up at ')) resolve(null);
        });
    });
    this.#running.set(voter, { child, up: Promise.race([up, gone]), gone });
  }

  async up(voter: number): Promise<void> {
    await this.#running.get(voter)!.up;
  }

  /** A line of the log of a voter. Every leadership of its own is noted, whatever it gives as the cause. */
  #read(voter: string, process: number | undefined, line: string): void {
    const log = this.#logs.get(voter) ?? [];
    this.#logs.set(voter, log);
    log.push(line);
    const led = /: (\S+) leads with token (\d+)/.exec(line);
    if (led?.[1] === voter) this.wins.push({ voter, process, token: led[2]! });
  }

  /** Dies without a word. */
  async kill(voter: number): Promise<void> {
    const { child, gone } = this.#running.get(voter)!;
    this.#running.delete(voter);
    child.kill('SIGKILL');
    await gone;
  }

  /** It stands still, as a machine that is suspended, and goes on later. */
  pause(voter: number): void {
    this.#running.get(voter)!.child.kill('SIGSTOP');
  }

  resume(voter: number): void {
    this.#running.get(voter)!.child.kill('SIGCONT');
  }

  /** As for an operator who lost the disk of a voter. It must not run. */
  wipe(voter: number): void {
    rmSync(this.#folder(voter), { recursive: true, force: true });
  }

  #folder(voter: number): string {
    return path.join(this.#data, `v${voter}`);
  }

  async status(voter: number): Promise<Status | null> {
    try {
      const signal = AbortSignal.timeout(2000);
      const response = await fetch(`${this.url(voter)}/status`, { signal });
      return (await response.json()) as Status;
    } catch {
      return null; // It starts, or is cut off.
    }
  }

  url(voter: number): string {
    return `http://${this.#lab.address(voter)}:${PORT}`;
  }

  /** By request of an operator. */
  async remove(voter: number, at: number): Promise<void> {
    const body = JSON.stringify({ voterId: `v${voter}` });
    const headers = { 'content-type': 'application/json' };
    // On a busy machine a voter may just have been forgotten, and is found again.
    let refused = '';
    for (let tries = 0; tries < 100; tries++) {
      const response = await fetch(`${this.url(at)}/remove`, { method: 'POST', headers, body });
      if (response.ok) return;
      refused = await response.text();
      await sleep(200);
    }
    throw new Error(`v${voter} was not removed: ${refused}`);
  }

  /** Settles when these voters have one list, of themselves alone, and one leader. */
  async agree(voters: readonly number[], what: string, withinMs = 180_000): Promise<string> {
    const ids = voters.map((voter) => `v${voter}`).sort();
    let seen: (Status | null)[] = [];
    const startMs = performance.now();
    for (const untilMs = startMs + withinMs; performance.now() < untilMs; await sleep(100)) {
      seen = await Promise.all(voters.map((voter) => this.status(voter)));
      const [first] = seen;
      const isOne = seen.every(
        (each) =>
          each !== null &&
          each.leader !== null &&
          each.leader === first?.leader &&
          each.knownVoters.join() === ids.join(),
      );
      const acting = seen.filter((each) => each?.acting === true);
      if (!isOne || acting.length !== 1 || !ids.includes(first!.leader!)) continue;
      this.#waits.push(`${((performance.now() - startMs) / 1000).toFixed(1)} s`);
      return first!.leader!;
    }
    const found = seen.map((each, i) => `v${voters[i]}: ${each?.leader} of ${each?.knownVoters.join(' ')}`);
    throw new Error(
      `${what}: expected one leader of ${ids.join(' ')}, found ${found.join('; ')}\n${this.#tails()}`,
    );
  }

  /** How long each agreement took. */
  get waits(): string {
    return this.#waits.join(', ');
  }

  /** Leaderships of two processes with one token. */
  get shared(): readonly Win[] {
    return this.wins.filter(({ process, token }) =>
      this.wins.some((other) => other.token === token && other.process !== process),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((voter) => this.kill(voter)));
    this.#lab.remove();
    if (this.#keep !== null) this.#keepLogs(this.#keep);
    rmSync(this.#data, { recursive: true, force: true });
  }

  #keepLogs(folder: string): void {
    for (const [voter, log] of this.#logs) writeFileSync(path.join(folder, `${voter}.log`), log.join('\n'));
  }

  /** The ends of all logs. */
  #tails(): string {
    const tails = [...this.#logs].map(([voter, log]) => `${voter}:\n  ${log.slice(-12).join('\n  ')}`);
    return tails.join('\n');
  }
}
