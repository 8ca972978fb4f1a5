/**
 * Members on hosts of their own, by the commands of docs/operations.md: each host is a network namespace with a pid namespace of
 * its own. Only addresses and folders are replaced by those of the test.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Namespaces } from './namespaces.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MAIN = path.join(ROOT, 'dist/cli/main.js');
export const IDS = ['a', 'b', 'c'] as const;
const run = promisify(execFile);
/** Processes may need many seconds to start on a busy machine. */
const LONGEST_MS = 90_000;

/** The blocks of commands of a section of docs/operations.md, in order. */
export function blocksOf(section: string): string[] {
  const text = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');
  const [, found] = new RegExp(`\\n## ${section}\\n([\\s\\S]*?)\\n## `).exec(text)!;
  return [...found!.matchAll(/(?:^ {4}.*\n?)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''));
}

interface Running {
  readonly child: ChildProcess;
  readonly log: string[];
}

export class Hosts {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), 'caucus-hosts-'));
  readonly members: Map<string, Running> = new Map();
  readonly #lab: Namespaces;

  constructor(count = 3) {
    this.#lab = new Namespaces(count, (address) => `host-${address.split('.').at(-1)}`);
    const bin = path.join(this.folder, 'bin');
    mkdirSync(bin);
    for (let host = 1; host <= count; host++) {
      mkdirSync(this.#etc(host), { recursive: true });
      mkdirSync(path.join(this.folder, `host-${host}`, 'data'));
    }
    write(path.join(bin, 'caucus'), `exec '${process.execPath}' '${MAIN}' "$@"`);
    // Copies to the folder of the host, as scp does.
    write(
      path.join(bin, 'scp'),
      `for to in "$@"; do :; done; while [ $# -gt 1 ]; do cp "$1" "${this.folder}/host-$(echo "$to" | sed 's/:.*//; s/.*\\.//')/etc/\${to##*/}" || exit 1; shift; done`,
    );
  }

  address(host: number): string {
    return this.#lab.address(host);
  }

  /** Where programs on the hosts reach the test. */
  get here(): string {
    return this.#lab.address(254);
  }

  /** Runs a block on the machine of the operator. */
  async run(block: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const script = this.#here(block);
    const { stdout } = await run('sh', ['-ec', script], { cwd: this.folder, env: { ...this.#env, ...env } });
    return stdout;
  }

  /** Runs a block on that host, in its own network and among its own processes, until the test ends. */
  start(host: number, block: string): void {
    const id = String.fromCharCode('a'.charCodeAt(0) + host - 1);
    const script = this.#here(block.replace(/^ID=.*$/m, `ID=${id} ADDRESS=${this.address(host)}`))
      .replaceAll('/etc/caucus', this.#etc(host))
      .replaceAll('/var/lib/caucus', path.join(this.folder, `host-${host}`, 'data'))
      .replace('caucus node', 'exec caucus node --json');
    this.#spawn(host, id, 'sh', '-ec', script);
  }

  /** Runs a program of the test there too. In its arguments, /etc/caucus and /var/lib/caucus are the folders of that host. */
  startProgram(host: number, id: string, ...program: readonly string[]): void {
    const data = path.join(this.folder, `host-${host}`, 'data');
    const here = (each: string): string =>
      each.replaceAll('/etc/caucus', this.#etc(host)).replaceAll('/var/lib/caucus', data);
    this.#spawn(host, id, ...program.map(here));
  }

  /** No packet passes between these hosts, until all is healed. */
  cut(one: number, other: number): void {
    this.#lab.cut(one, other);
  }

  heal(): void {
    this.#lab.heal();
  }

  dataOf(host: number): string {
    return path.join(this.folder, `host-${host}`, 'data');
  }

  /** Stops the process of a member, or lets it go on: what was spawned only waits for it. */
  signal(id: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    let pid = this.members.get(id)!.child.pid!;
    try {
      for (;;) {
        const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
        if (!child) break;
        pid = Number(child);
      }
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }

  /** Ends the process of a member without a word. */
  async kill(id: string): Promise<void> {
    const { child } = this.members.get(id)!;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  #spawn(host: number, id: string, ...program: readonly string[]): void {
    const [command, ...args] = this.#lab.apart(host, ...program);
    const child = spawn(command!, args, { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => void log.push(line));
    this.members.set(id, { child, log });
  }

  /** The members that have begun to act. */
  get acting(): string[] {
    return IDS.filter((id) => this.has(id, /"event":"acting"/));
  }

  count(id: string, words: string): number {
    return this.members.get(id)!.log.filter((line) => line.includes(words)).length;
  }

  has(id: string, words: RegExp): boolean {
    return this.members.get(id)!.log.some((line) => words.test(line));
  }

  /** Looks again and again: what hosts do is seen from outside only. A failure tells the logs of all. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = performance.now() + LONGEST_MS;
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Error(`never came: ${what}\n${this.logs}`);
      await sleep(50);
    }
  }

  get logs(): string {
    return [...this.members].map(([id, { log }]) => `${id}:\n  ${log.join('\n  ')}`).join('\n');
  }

  async close(): Promise<void> {
    const running = [...this.members.values()]
      .map(({ child }) => child)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(gone);
    this.#lab.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: `${path.join(this.folder, 'bin')}:${process.env.PATH}` };
  }

  #etc(host: number): string {
    return path.join(this.folder, `host-${host}`, 'etc');
  }

  #here(block: string): string {
    return block.replace(/10\.0\.0\.([1-9])/g, (_, host) => this.address(Number(host)));
  }
}

function write(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}
