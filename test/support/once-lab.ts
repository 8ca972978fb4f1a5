/** Three replicas with one schedule, in processes of their own, that are killed and stopped while they work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/core/index.ts';
import type { OnceOutcome, Run } from '../../src/election/index.ts';
import { compiled } from './compiled.ts';
import type { ReplicaPlan } from './once-replica.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, 'once-replica.ts'));
const LONGEST_WAIT_MS = 90_000;

type Said =
  | { readonly is: 'up'; readonly name: string }
  | { readonly is: 'began'; readonly occasion: string; readonly token: string; readonly attempt: number }
  | { readonly is: 'ended'; readonly occasion: string; readonly token: string }
  | { readonly is: 'run'; readonly outcome: OnceOutcome['outcome']; readonly run: Run };

interface Replica {
  child: ChildProcess;
  /** The occasion that its work is busy with. */
  working: string | null;
  /** The last occasion that it has told of. */
  told: string;
}

export interface Verdict {
  readonly occasions: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Each occasion whose work began more than once, with its tokens. */
  readonly twice: readonly string[];
  /** What must not be. */
  readonly wrong: readonly string[];
}

export class OnceLab {
  readonly #plans: readonly ReplicaPlan[];
  readonly #replicas: Replica[] = [];
  /** By occasion: the tokens of its attempts, by their numbers. A process that is stopped tells of its own late. */
  readonly #begun = new Map<string, string[]>();
  readonly #ended = new Set<string>();
  /** What was told of each occasion, and how often its end was told as one's own. */
  readonly #runs = new Map<string, { readonly run: Run; owners: number }>();
  readonly #wrong: string[] = [];
  readonly #faults: Record<string, number> = {};
  readonly #random: Random;

  constructor(plans: readonly ReplicaPlan[], seed: number) {
    this.#plans = plans;
    this.#random = new Random(seed, 'once-lab');
    for (const index of plans.keys())
      this.#replicas.push({ child: this.#start(index), working: null, told: '' });
  }

  /** The occasions that have ended. */
  get occasions(): readonly string[] {
    return [...this.#runs.keys()].sort();
  }

  /** Harms a replica, by preference one that works, again and again. */
  async harm(forMs: number): Promise<void> {
    await this.#until(() => this.#runs.size > 0, 'a first occasion');
    const untilMs = performance.now() + forMs;
    while (performance.now() < untilMs) {
      await sleep(this.#random.between(500, 2500));
      const busy = [...this.#replicas.keys()].filter((each) => this.#replicas[each]!.working !== null);
      const victim = this.#random.pick(
        busy.length > 0 && this.#random.chance(0.8) ? busy : [...this.#replicas.keys()],
      )!;
      await this.#harm(victim);
    }
  }

  /** Waits until all have told of what ended after the last fault, ends them in order, and says what was seen. */
  async judge(): Promise<Verdict> {
    const from = new Date().toISOString();
    await this.#until(
      () => this.#replicas.every(({ told }) => told > from),
      'an occasion that all replicas know',
    );
    await this.close();
    return {
      occasions: this.#runs.size,
      faults: this.#faults,
      twice: [...this.#begun.keys()]
        .filter((occasion) => this.#tokensOf(occasion).length > 1)
        .map((occasion) => `${occasion}: ${this.#tokensOf(occasion).join(', ')}`),
      wrong: [...this.#wrong, ...this.#gaps(), ...this.#unended(), ...this.#tokensThatFall()],
    };
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#replicas.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
        await once(child, 'exit');
        clearTimeout(late);
      }),
    );
  }

  async #harm(index: number): Promise<void> {
    const replica = this.#replicas[index]!;
    const fault = this.#random.pick(['kill -9', 'kill -9', 'SIGSTOP', 'SIGTERM'])!;
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
    if (fault === 'SIGSTOP') {
      replica.child.kill('SIGSTOP');
      await sleep(this.#random.between(500, 4000));
      replica.child.kill('SIGCONT');
      return;
    }
    const gone = once(replica.child, 'exit');
    replica.child.kill(fault === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL');
    await gone;
    replica.working = null;
    replica.child = this.#start(index);
  }

  #start(index: number): ChildProcess {
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(this.#plans[index])], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    createInterface({ input: child.stdout! }).on('line', (line) =>
      this.#hear(index, JSON.parse(line) as Said),
    );
    return child;
  }

  #hear(index: number, said: Said): void {
    const replica = this.#replicas[index]!;
    switch (said.is) {
      case 'up':
        return;
      case 'began':
        replica.working = said.occasion;
        this.#begin(said.occasion, said.attempt, said.token);
        return;
      case 'ended':
        replica.working = null;
        this.#ended.add(`${said.occasion} ${said.token}`);
        return;
      case 'run': {
        const { run, outcome } = said;
        const occasion = String(run.occasion);
        if (occasion > replica.told) replica.told = occasion;
        const before = this.#runs.get(occasion) ?? { run, owners: 0 };
        this.#runs.set(occasion, before);
        if (!outcome.startsWith('already-')) before.owners += 1;
        if (before.owners > 1) this.#wrong.push(`${occasion} was completed by two`);
        if (run.outcome !== 'done')
          this.#wrong.push(`${occasion} is recorded as ${run.outcome}: ${run.error}`);
        if (JSON.stringify(before.run) !== JSON.stringify(run))
          this.#wrong.push(
            `${occasion} is recorded as ${JSON.stringify(run)} and as ${JSON.stringify(before.run)}`,
          );
      }
    }
  }

  #begin(occasion: string, attempt: number, token: string): void {
    const tokens = this.#begun.get(occasion) ?? [];
    if (tokens[attempt] !== undefined)
      this.#wrong.push(`attempt ${attempt} of ${occasion} began twice: ${tokens[attempt]}, ${token}`);
    tokens[attempt] = token;
    this.#begun.set(occasion, tokens);
  }

  /** Of the attempts that were told of: one whose process died at once was not. */
  #tokensOf(occasion: string): readonly string[] {
    return (this.#begun.get(occasion) ?? []).filter((token) => token !== undefined);
  }

  /** Fire times in each second; none may be missing. */
  #gaps(): string[] {
    const all = this.occasions.map((each) => Date.parse(each));
    return all.flatMap((ms, i) =>
      i > 0 && ms - all[i - 1]! !== 1000
        ? [`nothing between ${this.occasions[i - 1]} and ${this.occasions[i]}`]
        : [],
    );
  }

  /** Recorded as done under a token under which the work did not end. */
  #unended(): string[] {
    return [...this.#runs.values()]
      .filter(({ run }) => !this.#ended.has(`${run.occasion} ${run.token}`))
      .map(
        ({ run }) => `${run.occasion} is recorded with token ${run.token}, under which its work did not end`,
      );
  }

  #tokensThatFall(): string[] {
    return [...this.#begun.keys()].flatMap((occasion) => {
      const tokens = this.#tokensOf(occasion);
      const isFalling = tokens.some((token, i) => i > 0 && BigInt(token) <= BigInt(tokens[i - 1]!));
      return isFalling ? [`the tokens of ${occasion} do not grow: ${tokens.join(', ')}`] : [];
    });
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    while (!isSo()) {
      if (performance.now() > untilMs)
        throw new Error(`no sign of ${what} within ${LONGEST_WAIT_MS / 1000} s`);
      await sleep(50);
    }
  }
}
