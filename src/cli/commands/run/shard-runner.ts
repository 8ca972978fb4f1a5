import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { OwnedShard, Partition } from '../../../election/index.ts';
import type { Log } from '../../terminal/log.ts';
import { machineNowMs } from './clock.ts';
import { endWords, exitCodeOf } from './exit-code.ts';
import { type CommandLine, type End, KeptCommand } from './kept-command.ts';
import type { RunRules } from './supervisor.ts';
import { runUnderLease } from './under-lease.ts';

/** A command that ends at once is not restarted more often than this. */
const RESTART_EVERY_MS = 1000;
/** Whether a lease that was renewed too late has been renewed. */
const LOOK_EVERY_MS = 50;
const FAILED = 1;
const BY_SIGNAL = 128;

/** A command has ended by itself, and is not to be restarted. */
class CommandEnded extends Error {
  readonly end: End;

  constructor(end: End) {
    super(endWords(end));
    this.end = end;
  }
}

/** Runs one command for each shard that we own, never otherwise, and returns the exit code. */
export class ShardRunner {
  readonly #partition: Partition;
  readonly #line: CommandLine;
  readonly #rules: Pick<RunRules, 'killAfterMs' | 'settleMs' | 'onExit'>;
  readonly #log: Log;
  readonly #over = new AbortController();
  readonly #kept = new Set<KeptCommand>();
  #stoppedBy: NodeJS.Signals | null = null;

  constructor(
    partition: Partition,
    line: CommandLine,
    rules: Pick<RunRules, 'killAfterMs' | 'settleMs' | 'onExit'>,
    log: Log,
  ) {
    this.#partition = partition;
    this.#line = line;
    this.#rules = rules;
    this.#log = log;
  }

  /** Ends all commands in order while we still own their shards; then releases them and stops. */
  stop(signal: NodeJS.Signals): void {
    this.#stoppedBy ??= signal;
    this.#over.abort();
  }

  /** Passes on a signal that does not end the commands. */
  pass(signal: NodeJS.Signals): void {
    for (const kept of this.#kept) kept.signal(signal);
  }

  async run(): Promise<number> {
    try {
      await this.#partition.own((owned) => this.#work(owned), { signal: this.#over.signal });
    } catch (error) {
      if (error instanceof CommandEnded) return exitCodeOf(error.end);
      const text = error instanceof Error ? error.message : String(error);
      this.#log({ level: 'error', event: 'failed', text });
      return FAILED;
    }
    return BY_SIGNAL + constants.signals[this.#stoppedBy!];
  }

  async #work(owned: OwnedShard): Promise<void> {
    // A command of the last owner, killed elsewhere, is dead by then.
    await this.#settle(owned, this.#rules.settleMs);
    if (owned.signal.aborted) return;
    let isGuarded = true;
    const kept = await KeptCommand.open(() => {
      isGuarded = false;
    });
    this.#kept.add(kept);
    try {
      while (owned.isValid()) {
        const startedAtMs = performance.now();
        const end = await this.#once(kept, owned);
        if (!isGuarded) throw new Error('the keeper of the command was killed');
        if (owned.signal.aborted) return;
        if (end.how !== 'not-started' && end.overdue) await this.#renewed(owned);
        else if (this.#rules.onExit === 'resign' || end.how === 'not-started') throw new CommandEnded(end);
        await this.#settle(owned, startedAtMs + RESTART_EVERY_MS - performance.now());
      }
    } finally {
      this.#kept.delete(kept);
      await kept.close();
    }
  }

  async #once(kept: KeptCommand, owned: OwnedShard): Promise<End> {
    const { shard, token } = owned;
    const { command } = this.#line;
    const about = `${command} for shard ${shard}`;
    this.#log({ level: 'info', event: 'started', text: `starting ${about}`, shard, token });
    const end = await runUnderLease(kept, this.#lineFor(owned), owned, this.#rules.killAfterMs);
    const { lost } = owned;
    const text = `${about} ${endWords(end)}${lost === null ? '' : `: ${lost.detail}`}`;
    this.#log({ level: 'info', event: 'ended', text, shard, token, ...end });
    return end;
  }

  /** A lease that was nearly over may still be renewed. The shard is ours then as before, and no other replica works on it. */
  async #renewed(owned: OwnedShard): Promise<void> {
    const endsAtMs = machineNowMs() + owned.expiresInMs;
    while (owned.isValid() && machineNowMs() + owned.expiresInMs < endsAtMs + 1)
      await this.#settle(owned, LOOK_EVERY_MS);
  }

  async #settle({ signal }: OwnedShard, ms: number): Promise<void> {
    await wait(Math.max(ms, 0), undefined, { signal }).catch(() => {});
  }

  #lineFor({ shard, token }: OwnedShard): CommandLine {
    const { name, shards, self } = this.#partition;
    const env = {
      CAUCUS_TOKEN: String(token),
      CAUCUS_SHARD: String(shard),
      CAUCUS_SHARDS: String(shards),
      CAUCUS_ELECTION: name,
      CAUCUS_MEMBER: self,
    };
    return { ...this.#line, env: { ...this.#line.env, ...env } };
  }
}
