/** Three replicas with one schedule, in processes of their own, and what their works and the record say. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Run } from '../../src/election/index.ts';
import { instantOf, Journal, type JournalEntry } from './once-journal.ts';

export interface CrewPlan {
  /** What its schedule runs on: `node-cron`, `nestjs` or `caucus cron`. */
  readonly driver: string;
  /** By the name of the replica: the arguments for Node. */
  readonly replicas: Readonly<Record<string, readonly string[]>>;
  readonly journal: string;
  /** What is recorded now. */
  readonly record: () => Promise<readonly Run[]>;
  /** Does it run fire times that have passed? node-cron does not. */
  readonly catchesUp: boolean;
}

export interface CrewVerdict {
  readonly driver: string;
  readonly occasions: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  /** Each occasion whose work began more than once, with the tokens; and how many of these have also ended more than once. */
  readonly twice: readonly string[];
  readonly endedTwice: number;
  /** Fire times at which no replica fired. */
  readonly unfired: readonly string[];
  /** What must not be. */
  readonly wrong: readonly string[];
}

export class Crew {
  readonly plan: CrewPlan;
  readonly faults: Record<string, number> = {};
  readonly #children = new Map<string, ChildProcess>();
  readonly #journal: Journal;
  readonly #entries: JournalEntry[] = [];
  /** By replica: the occasion that its work is busy with. */
  readonly #working = new Map<string, string>();
  readonly #runs = new Map<string, Run>();
  readonly #wrong = new Set<string>();

  constructor(plan: CrewPlan) {
    this.plan = plan;
    this.#journal = new Journal(plan.journal);
    for (const name of this.names) this.start(name);
  }

  get names(): readonly string[] {
    return Object.keys(this.plan.replicas);
  }

  /** The replicas whose work is under way. */
  get busy(): readonly string[] {
    return [...this.#working.keys()];
  }

  /** The last occasion that is recorded. */
  get last(): string {
    return [...this.#runs.keys()].sort().at(-1) ?? '';
  }

  /** The first occasion that this replica fires from now on, once it does. */
  nextFired(name: string): () => string | null {
    const from = this.#entries.length;
    const isNext = (each: JournalEntry, i: number): boolean =>
      i >= from && each.what === 'fired' && each.replica === name;
    return () => this.#entries.find(isNext)?.occasion ?? null;
  }

  start(name: string): void {
    const child = spawn(process.execPath, [...this.plan.replicas[name]!], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    this.#children.set(name, child);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#children.get(name)!.kill(signal);
  }

  /** Ends a replica, and waits until it has ended. */
  async end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#children.get(name)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => {
      this.#wrong.add(`${name} did not end within 20 s of SIGTERM`);
      child.kill('SIGKILL');
    }, 20_000);
    await gone;
    clearTimeout(late);
    this.#working.delete(name);
  }

  /** Ends all replicas in order. */
  async close(): Promise<void> {
    await Promise.all(
      this.names.map((name) => {
        this.signal(name, 'SIGCONT');
        return this.end(name, 'SIGTERM');
      }),
    );
  }

  /** Reads what the works have written. */
  readJournal(): void {
    for (const entry of this.#journal.read()) {
      this.#entries.push(entry);
      if (entry.what === 'begin') this.#working.set(entry.replica, entry.occasion);
      if (entry.what === 'end') this.#working.delete(entry.replica);
    }
  }

  /** Reads what is recorded. */
  async readRecord(): Promise<void> {
    for (const run of await this.plan.record()) {
      const occasion = instantOf(String(run.occasion));
      const before = this.#runs.get(occasion) ?? run;
      this.#runs.set(occasion, before);
      if (run.outcome !== 'done') this.#wrong.add(`${occasion} is recorded as ${run.outcome}: ${run.error}`);
      if (JSON.stringify(before) !== JSON.stringify(run))
        this.#wrong.add(`${occasion} is recorded as ${JSON.stringify(run)} and as ${JSON.stringify(before)}`);
    }
  }

  judge(): CrewVerdict {
    const occasions = [...this.#runs.keys()].sort();
    const twice = occasions.filter((each) => this.#written('begin', each).length > 1);
    const missing = this.#missing(occasions);
    const fired = new Set(this.#entries.filter(({ what }) => what === 'fired').map((each) => each.occasion));
    const unfired = this.plan.catchesUp ? [] : missing.filter((each) => !fired.has(each));
    const firedBy = (each: string): string =>
      this.#written('fired', each)
        .map(({ replica }) => replica)
        .join(', ') || 'none';
    const lost = missing
      .filter((each) => !unfired.includes(each))
      .map((each) => `${each} was not completed (fired by ${firedBy(each)})`);
    this.#journal.close();
    return {
      driver: this.plan.driver,
      occasions,
      faults: this.faults,
      twice: twice.map((each) => `${each}: tokens ${this.#tokensOf(each).join(', ')}`),
      endedTwice: twice.filter((each) => this.#written('end', each).length > 1).length,
      unfired,
      wrong: [...this.#wrong, ...lost, ...occasions.flatMap((each) => this.#wrongWith(each))],
    };
  }

  #written(what: JournalEntry['what'], occasion: string): readonly JournalEntry[] {
    return this.#entries.filter((each) => each.what === what && each.occasion === occasion);
  }

  /** In the order of the attempts: a process that was stopped writes late. */
  #tokensOf(occasion: string): readonly bigint[] {
    return [...this.#written('begin', occasion)]
      .sort((one, other) => one.attempt - other.attempt)
      .map(({ token }) => token);
  }

  /** Fire times are in each second. */
  #missing(occasions: readonly string[]): readonly string[] {
    if (occasions.length === 0) return [];
    const fromMs = Date.parse(occasions[0]!);
    const seconds = (Date.parse(occasions.at(-1)!) - fromMs) / 1000;
    const all = Array.from({ length: seconds + 1 }, (_, i) => new Date(fromMs + i * 1000).toISOString());
    return all.filter((each) => !this.#runs.has(each));
  }

  #wrongWith(occasion: string): string[] {
    const run = this.#runs.get(occasion)!;
    const wrong: string[] = [];
    const isRecorded = ({ token, attempt }: JournalEntry): boolean =>
      String(token) === run.token && attempt === run.attempt;
    const ends = this.#written('end', occasion).filter(isRecorded);
    // An end that could not be recorded at once may be recorded under a later token of the same process.
    const late = this.#written('end', occasion).filter((each) => each.attempt === run.attempt);
    if (run.outcome === 'done' && ends.length !== 1 && late.length !== 1)
      wrong.push(
        `${occasion} is recorded with token ${run.token}, under which its work ended ${ends.length} times`,
      );
    const tokens = this.#tokensOf(occasion);
    if (tokens.some((token, i) => i > 0 && token <= tokens[i - 1]!))
      wrong.push(`the tokens of ${occasion} do not grow: ${tokens.join(', ')}`);
    const after = tokens.filter((token) => token > BigInt(run.token));
    if (after.length > 0)
      wrong.push(
        `${occasion} began with token ${after.join(', ')}, after its end was recorded with ${run.token}`,
      );
    return wrong;
  }
}
