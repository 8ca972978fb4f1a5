/**
 * Real voters, each a process in its own network namespace, that find each other from a seed host alone. Used by the
 * tests, and for many rounds by `verify/voters.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/core/index.ts';
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
  readonly log: string[];
  readonly gone: Promise<unknown>;
}

/** A leadership that a voter reported of itself. */
export interface Win {
  readonly voter: string;
  readonly token: string;
}

export class VotersApart {
  readonly wins: Win[] = [];
  readonly #lab: Namespaces;
  readonly #data = mkdtempSync(path.join(tmpdir(), 'caucus-voters-'));
  readonly #running = new Map<number, Running>();
  readonly #options: readonly string[];

  constructor(count: number, options: readonly string[]) {
    this.#options = options;
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
      path.join(this.#data, `v${voter}`),
      ...this.#options.flatMap((option) => ['--option', option]),
    );
    const env = { ...process.env, VOTER_ID: `v${voter}`, VOTER_URL: '/', SEED_HOST: `voters:${PORT}` };
    const child = spawn(command!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    const gone = new Promise((resolve) => child.once('exit', resolve));
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.#read(`v${voter}`, line, log));
    this.#running.set(voter, { child, log, gone });
  }

  #read(voter: string, line: string, log: string[]): void {
    log.push(line);
    const won = /: (\S+) leads with token (\d+) \(won\)/.exec(line);
    if (won?.[1] === voter) this.wins.push({ voter, token: won[2]! });
  }

  /** Dies without a word. */
  async kill(voter: number): Promise<void> {
    const { child, gone } = this.#running.get(voter)!;
    this.#running.delete(voter);
    child.kill('SIGKILL');
    await gone;
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
  async agree(voters: readonly number[], what: string, withinMs = 60_000): Promise<string> {
    const ids = voters.map((voter) => `v${voter}`).sort();
    let seen: (Status | null)[] = [];
    for (const untilMs = performance.now() + withinMs; performance.now() < untilMs; await sleep(100)) {
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
      if (isOne && acting.length === 1 && ids.includes(first!.leader!)) return first!.leader!;
    }
    const found = seen.map((each, i) => `v${voters[i]}: ${each?.leader} of ${each?.knownVoters.join(' ')}`);
    throw new Error(
      `${what}: expected one leader of ${ids.join(' ')}, found ${found.join('; ')}\n${this.#logs()}`,
    );
  }

  /** Two voters that led with one token. */
  get shared(): readonly Win[] {
    return this.wins.filter(({ voter, token }) =>
      this.wins.some((other) => other.token === token && other.voter !== voter),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((voter) => this.kill(voter)));
    this.#lab.remove();
    rmSync(this.#data, { recursive: true, force: true });
  }

  #logs(): string {
    const tails = [...this.#running].map(
      ([voter, { log }]) => `v${voter}:\n  ${log.slice(-12).join('\n  ')}`,
    );
    return tails.join('\n');
  }
}

/** They start in a random order, while packets are lost and pairs of them are cut off from each other. */
export async function startInDisorder(
  voters: VotersApart,
  ids: readonly number[],
  random: Random,
): Promise<string> {
  const left = [...ids];
  const told: string[] = [];
  while (left.length > 0) {
    if (random.chance(0.4)) {
      const [a, b] = [random.pick(ids)!, random.pick(ids)!];
      if (a !== b) {
        voters.lab.cut(a, b);
        told.push(`cut ${a}-${b}`);
      }
    }
    if (random.chance(0.3)) {
      const host = random.pick(ids)!;
      voters.lab.lose(host, 0.1 + 0.3 * random.fraction());
      told.push(`loss at ${host}`);
    }
    const [next] = left.splice(random.below(left.length), 1);
    voters.start(next!);
    told.push(`start ${next}`);
    await sleep(random.between(0, 700));
  }
  await sleep(random.between(0, 3000));
  voters.lab.heal();
  return told.join(', ');
}

/**
 * A whole life: five voters start in disorder, a sixth joins late, one is removed by request, and one dies for good.
 * After each step all that are left have one list and one leader. Returns what was done.
 */
export async function roundOfSix(voters: VotersApart, random: Random): Promise<string> {
  const five = [1, 2, 3, 4, 5];
  const told = await startInDisorder(voters, five, random);
  await voters.agree(five, `after ${told}`);
  voters.start(6);
  const six = [...five, 6];
  await voters.agree(six, 'a sixth has joined');
  const removed = random.pick(six)!;
  const asked = random.pick(six.filter((each) => each !== removed))!;
  await voters.remove(removed, asked);
  const rest = six.filter((each) => each !== removed);
  await voters.agree(rest, `v${removed} was removed`);
  let out = await voters.status(removed);
  // The removal is repeated for some heartbeats: the voter itself may be the last to hear of it.
  for (let tries = 0; out?.role !== 'none' && tries < 50; tries++) {
    await sleep(200);
    out = await voters.status(removed);
  }
  if (out?.role !== 'none' || out.cause !== 'removed')
    throw new Error(`v${removed} was removed, but is ${out?.role} (${out?.cause})`);
  const dead = random.pick(rest)!;
  await voters.kill(dead);
  await voters.agree(
    rest.filter((each) => each !== dead),
    `v${dead} has died`,
  );
  return `${told}; removed v${removed} at v${asked}, killed v${dead}`;
}

/** Five voters with `quorum` start in disorder: never do two of them lead with one token, and in the end one leads. */
export async function certifiedStart(voters: VotersApart, random: Random): Promise<string> {
  const five = [1, 2, 3, 4, 5];
  const told = await startInDisorder(voters, five, random);
  await voters.agree(five, `after ${told}`);
  if (random.chance(0.5)) {
    // A split: the minority cannot have a leader of its own for long, and never one of the same token.
    for (const a of [1, 2]) for (const b of [3, 4, 5]) voters.lab.cut(a, b);
    await sleep(random.between(1000, 3000));
    voters.lab.heal();
    await voters.agree(five, 'after a split');
  }
  if (voters.shared.length > 0) throw new Error(`two leaders of one token: ${JSON.stringify(voters.shared)}`);
  return told;
}
