/** Processes that lead many elections, which are killed, stopped and asked. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { compiled } from './compiled.ts';
import type { HolderPlan, HolderSaid } from './holder-process.ts';

const SCRIPT = path.resolve(import.meta.dirname, 'holder-process.ts');
const RELEASE = path.resolve(
  import.meta.dirname,
  '../fixtures/releases/engines-before-shared-renewals.tar.gz',
);
/** Below the dependencies of the project, which are those of the release. */
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/caucus-tests');

type Said<K extends HolderSaid['is']> = Extract<HolderSaid, { is: K }>;

export class Holder {
  readonly #child: ChildProcess;
  readonly #said: HolderSaid[] = [];
  #look: () => void = () => {};

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('exit', () => this.#look());
    createInterface({ input: child.stdout! }).on('line', (line) => {
      this.#said.push(JSON.parse(line) as HolderSaid);
      this.#look();
    });
  }

  /** Starts it, and waits until it leads all of them. */
  static async start(
    plan: HolderPlan,
  ): Promise<{ readonly holder: Holder; readonly tokens: Readonly<Record<string, string>> }> {
    const child = spawn(process.execPath, [await compiled(SCRIPT), JSON.stringify(plan)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    const holder = new Holder(child);
    const { tokens } = await holder.#next('leading', 0);
    return { holder, tokens };
  }

  get ended(): readonly Said<'ended'>[] {
    return this.#said.filter((said) => said.is === 'ended');
  }

  /** How many of its leaderships are valid now, by its own clock, and how much processor it has used. */
  async count(): Promise<Said<'counted'>> {
    const from = this.#said.length;
    this.#child.stdin!.write('count\n');
    return await this.#next('counted', from);
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async #next<K extends HolderSaid['is']>(is: K, from: number): Promise<Said<K>> {
    for (;;) {
      const found = this.#said.slice(from).find((said) => said.is === is);
      if (found !== undefined) return found as Said<K>;
      if (this.#child.exitCode !== null) throw new Error('the process has ended');
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }
}

/** The engines as they were before renewals were shared. */
export class EnginesBefore {
  readonly folder: string;

  constructor() {
    mkdirSync(CACHE, { recursive: true });
    this.folder = mkdtempSync(path.join(CACHE, 'engines-'));
    execFileSync('tar', ['xzf', RELEASE, '-C', this.folder]);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
