/**
 * Members on hosts of their own, with witnesses: each host is a network namespace with a pid namespace, in which all its programs
 * run. What one program of a host sees of another, those of other hosts do not.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Namespaces } from './namespaces.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const LONGEST_MS = 90_000;

/** A lease that no takeover by a report comes near to, on whatever busy machine. */
export const LEASE_MS = 4500;
export const HEARTBEAT_MS = 400;
const TIMING = [`leaseMs=${LEASE_MS}`, 'timeoutMs=[5000,6500]', `heartbeatMs=${HEARTBEAT_MS}`];

export interface LabOptions {
  /** The members of each host. */
  readonly hosts: readonly (readonly string[])[];
  /** The members that may lead. Two are enough: if one is dead, no vote is split, however busy the machine is. */
  readonly candidates: readonly string[];
  /** Does `caucus witness` run on each host? */
  readonly hasWitnesses: boolean;
  /** What members are given as --trust-witness; null: they trust none. */
  readonly trusted: string | null;
  /** The witnesses are among those that members trust. */
  readonly areTrusted?: boolean;
}

interface Line {
  readonly at: string;
  readonly event: string;
  readonly text: string;
}

export class WitnessLab {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-witness-'));
  readonly #lab: Namespaces;
  readonly #options: LabOptions;
  readonly #hosts: ChildProcess[];

  constructor(options: LabOptions) {
    this.#options = options;
    this.#lab = new Namespaces(options.hosts.length, (address) => `host-${address.split('.').at(-1)}`);
    writeFileSync(path.join(this.folder, 'secret'), 'correct-horse-battery-staple\n', { mode: 0o600 });
    this.#hosts = options.hosts.map((ids, i) => this.#start(i + 1, ids));
  }

  urlOf(id: string): string {
    const host = this.#options.hosts.findIndex((ids) => ids.includes(id));
    return `http://${this.#lab.address(host + 1)}:${7101 + this.#options.hosts[host]!.indexOf(id)}`;
  }

  get ids(): readonly string[] {
    return this.#options.hosts.flat();
  }

  /** What a program has logged: a member by its id, the witness of a host as `witness-1`. */
  log(name: string): readonly Line[] {
    const file = path.join(this.folder, `${name}.log`);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  }

  has(name: string, words: string): boolean {
    return this.log(name).some(({ text }) => text.includes(words));
  }

  /** The first member that acts since then, and when it began to. */
  acting(sinceMs = 0): { readonly id: string; readonly atMs: number } | null {
    const found = this.ids
      .flatMap((id) => this.log(id).map(({ at, event }) => ({ id, event, atMs: Date.parse(at) })))
      .filter(({ event, atMs }) => event === 'acting' && atMs > sinceMs)
      .sort((one, other) => one.atMs - other.atMs);
    return found[0] ?? null;
  }

  /** Settles with the leader, once each witness knows what it has to watch, and where to report. */
  async ready(): Promise<string> {
    await this.until('a leader acts', () => this.acting() !== null);
    if (this.#options.areTrusted)
      await this.until('witnesses watch and are known', () =>
        this.#options.hosts.every((ids, i) =>
          this.ids.every((id) =>
            this.has(`witness-${i + 1}`, ids.includes(id) ? `watches ${id} ` : `${id} takes reports`),
          ),
        ),
      );
    await this.until('all follow the leader', async () => {
      const leaders = await Promise.all(this.ids.map((id) => this.leaderOf(id)));
      return leaders.every((leader) => leader !== null && leader === leaders[0]);
    });
    return (await this.leaderOf(this.ids[0]!))!;
  }

  async leaderOf(id: string): Promise<string | null> {
    const answer = await fetch(`${this.urlOf(id)}/status`).catch(() => null);
    return answer === null ? null : ((await answer.json()) as { leader: string | null }).leader;
  }

  async history(id: string): Promise<string> {
    return await (await fetch(`${this.urlOf(id)}/history`)).text();
  }

  witnessOf(id: string): string {
    return `witness-${1 + this.#options.hosts.findIndex((ids) => ids.includes(id))}`;
  }

  /** Sends a signal to a member or a witness; returns when it was sent. */
  signal(name: string, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): number {
    const host = name.startsWith('witness-')
      ? Number(name.slice(8)) - 1
      : this.#options.hosts.findIndex((ids) => ids.includes(name));
    const pid = descendants(this.#hosts[host]!.pid!).find((each) =>
      readFileSync(`/proc/${each}/cmdline`, 'utf8').includes(`\0--id\0${name}\0`),
    );
    if (pid === undefined) throw new Error(`${name} does not run`);
    const atMs = Date.now();
    process.kill(pid, signal);
    return atMs;
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = performance.now() + LONGEST_MS;
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Error(`never came: ${what}\n${this.tell()}`);
      await sleep(20);
    }
  }

  /** Settles with the successor of a member that was killed or stopped then. */
  async successor(sinceMs: number): Promise<{ readonly id: string; readonly afterMs: number }> {
    await this.until('a successor acts', () => this.acting(sinceMs) !== null);
    const { id, atMs } = this.acting(sinceMs)!;
    return { id, afterMs: atMs - sinceMs };
  }

  tell(): string {
    const names = [...this.ids, ...this.#options.hosts.map((_, i) => `witness-${i + 1}`)];
    return names
      .map(
        (name) =>
          `${name}:\n${this.log(name)
            .map(({ at, text }) => `  ${at} ${text}`)
            .join('\n')}`,
      )
      .join('\n');
  }

  async close(): Promise<void> {
    const gone = this.#hosts.map((host) => once(host, 'exit'));
    for (const host of this.#hosts) host.kill('SIGKILL');
    await Promise.all(gone);
    this.#lab.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** All programs of a host are children of one shell, the first process of the host. */
  #start(host: number, ids: readonly string[]): ChildProcess {
    const { trusted, hasWitnesses } = this.#options;
    const peers = this.ids.map((id) => `${id}=${this.urlOf(id)}`).join(',');
    const common = [
      '--cluster',
      'shop',
      '--peers',
      peers,
      '--secret-file',
      `${this.folder}/secret`,
      '--json',
    ];
    const programs = [
      ...ids.map((id) => [
        ...['node', '--id', id, ...common, ...TIMING.flatMap((each) => ['--timing', each])],
        ...(trusted === null ? [] : ['--trust-witness', trusted]),
        ...(this.#options.candidates.includes(id) ? [] : ['--priority', '0']),
      ]),
      ...(hasWitnesses ? [['witness', '--id', `witness-${host}`, ...common]] : []),
    ];
    const lines = programs.map(
      (args) =>
        `${[process.execPath, MAIN, ...args].map((each) => `'${each}'`).join(' ')} >'${this.folder}/${args[2]}.log' 2>&1 &`,
    );
    const [command, ...args] = this.#lab.apart(host, 'sh', '-c', `${lines.join('\n')}\nwait; sleep 1000`);
    return spawn(command!, args, { stdio: 'ignore' });
  }
}

function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children
    .split(' ')
    .filter((each) => each !== '')
    .flatMap((each) => [Number(each), ...descendants(Number(each))]);
}
