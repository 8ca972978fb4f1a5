import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cause, LeadershipLost, type Why } from '../../../election/index.ts';
import { duration } from '../../../story/index.ts';
import type { Log } from '../../terminal/log.ts';
import { endWords, exitCodeOf } from './exit-code.ts';
import type { CommandLine, End, KeptCommand } from './kept-command.ts';
import { type Lease, runUnderLease } from './under-lease.ts';

/** A leadership as the supervisor uses it. */
export interface HeldLead extends Lease {
  readonly token: bigint;
  /** Says that nothing of the command runs any more, and lets another take over. */
  resign(why?: Why): Promise<void>;
}

/** An election as the supervisor uses it. */
export interface Contest {
  readonly election: {
    readonly name: string;
    readonly self: string;
    campaign(options: { readonly signal: AbortSignal }): Promise<HeldLead>;
    leader(): { readonly name: string } | null;
  };
  /** What is wrong with what it is held on, if anything. */
  readonly health?: { readonly illness: string | null };
}

export interface RunRules {
  /** How long the command has between SIGTERM and SIGKILL, where there is time for it. */
  readonly killAfterMs: number;
  /** The election is held on a store. */
  readonly isOnStore: boolean;
  /** Do not stand again after a loss. */
  readonly once: boolean;
  readonly onExit: 'resign' | 'restart';
  /** Give up if not elected by then; null to wait for ever. */
  readonly timeoutMs: number | null;
  /** How long the command waits after the election, so that one that was killed elsewhere is dead. */
  readonly settleMs: number;
}

/** A command that ends at once is not started again more often than this. */
const RESTART_EVERY_MS = 1000;
const NOT_ELECTED = 1;
/** With `--once`: what CMD made of the loss does not matter. As in sysexits.h: it may be tried again. */
const LOST = 75;
const FAILED = 1;
const BY_SIGNAL = 128;
/** Causes of a loss whose detail says more than that it is over. */
const TOLD: readonly Cause[] = ['resigned', 'transferred', 'removed', 'store-unreachable', 'deposed'];

/** Runs the command whenever we lead, never otherwise, and answers with the exit code of it all. */
export class Supervisor {
  readonly #contest: Contest;
  readonly #kept: KeptCommand;
  readonly #line: CommandLine;
  readonly #rules: RunRules;
  readonly #log: Log;
  readonly #over = new AbortController();
  #isRunning = false;
  #stoppedBy: NodeJS.Signals | null = null;
  #hasFailed = false;

  constructor(contest: Contest, kept: KeptCommand, line: CommandLine, rules: RunRules, log: Log) {
    this.#contest = contest;
    this.#kept = kept;
    this.#line = line;
    this.#rules = rules;
    this.#log = log;
  }

  /** The command is ended in order while we still lead; then the lead is released and everything is over. */
  stop(signal: NodeJS.Signals): void {
    if (this.#stoppedBy !== null) return;
    this.#stoppedBy = signal;
    this.#over.abort();
    if (!this.#isRunning) return;
    if (signal !== 'SIGTERM') this.#kept.signal(signal);
    this.#kept.stop(this.#rules.killAfterMs);
  }

  /** The command cannot be guarded any more. What ran of it is being killed. */
  fail(): void {
    this.#hasFailed = true;
    this.#over.abort();
  }

  /** Passes a signal on that does not end anything here. */
  pass(signal: NodeJS.Signals): void {
    this.#kept.signal(signal);
  }

  async run(): Promise<number> {
    for (;;) {
      const lead = await this.#win();
      if (this.#hasFailed) return FAILED;
      if (lead === null) {
        return this.#stoppedBy === null ? NOT_ELECTED : BY_SIGNAL + constants.signals[this.#stoppedBy];
      }
      const end = await this.#lead(lead);
      // Only now is nothing left that acts on this lead.
      await lead.resign(this.#reasonOf(end)).catch(() => {});
      if (this.#hasFailed) return FAILED;
      if (end === 'lost' && this.#rules.once) return LOST;
      if (typeof end === 'object') return exitCodeOf(end);
    }
  }

  async #win(): Promise<HeldLead | null> {
    const { timeoutMs } = this.#rules;
    const limits = timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)];
    const signal = AbortSignal.any([this.#over.signal, ...limits]);
    const { election } = this.#contest;
    const waiting = { election: election.name };
    this.#log({ level: 'info', event: 'waiting', text: 'waiting to be elected', ...waiting });
    try {
      return await election.campaign({ signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      if (!this.#over.signal.aborted) {
        const text = `not elected within ${duration(timeoutMs!)}${this.#hindrance()}`;
        this.#log({ level: 'error', event: 'not-elected', text, ...waiting });
      }
      return null;
    }
  }

  /** Why we were not elected, as far as is known. */
  #hindrance(): string {
    const { election, health } = this.#contest;
    const leader = election.leader();
    const why = health?.illness ?? (leader === null ? null : `${leader.name} leads`);
    return why === null ? '' : `: ${why}`;
  }

  /** Settles when nothing of the command is left: with how it ended, or that the leadership did, perhaps before it began. */
  async #lead(lead: HeldLead): Promise<End | 'lost' | 'not-begun'> {
    const { token } = lead;
    const { command } = this.#line;
    this.#log({ level: 'info', event: 'elected', text: `elected with token ${token}`, token });
    for (let runs = 0; ; runs++) {
      await this.#settle(lead.signal, this.#rules.settleMs);
      if (this.#over.signal.aborted)
        return { how: 'killed', signal: this.#stoppedBy ?? 'SIGKILL', overdue: false };
      if (lead.signal.aborted) return runs === 0 ? 'not-begun' : 'lost';
      this.#isRunning = true;
      const startedAtMs = performance.now();
      this.#log({ level: 'info', event: 'started', text: `starting ${command}`, token });
      const { killAfterMs, isOnStore } = this.#rules;
      const end = await runUnderLease(this.#kept, this.#lineFor(token), lead, killAfterMs);
      this.#isRunning = false;
      const lost = lead.signal.aborted || (end.how !== 'not-started' && end.overdue);
      const text = `${command} ${endWords(end)}${lost ? `: the leadership is over${lossHint(end, lead.signal, isOnStore)}` : ''}`;
      this.#log({ level: lost ? 'warn' : 'info', event: 'ended', text, token, ...end });
      if (this.#over.signal.aborted || end.how === 'not-started') return end;
      if (lost) return 'lost';
      if (this.#rules.onExit === 'resign') return end;
      await this.#settle(lead.signal, startedAtMs + RESTART_EVERY_MS - performance.now());
    }
  }

  /** What the histories of all members tell of the end. A leadership that was lost before has its own reason. */
  #reasonOf(end: End | 'lost' | 'not-begun'): Why | undefined {
    if (end === 'not-begun') return undefined;
    if (end === 'lost')
      return {
        cause: 'lease-expired',
        detail: 'its lease was not renewed in time, so its command was ended',
      };
    if (this.#hasFailed) return resigned('its command could no longer be guarded');
    if (this.#stoppedBy !== null) return resigned(`caucus run was ended by ${this.#stoppedBy}`);
    return resigned(`its command ${endWords(end)}`);
  }

  /** Waits, but not longer than there is anything to wait for. */
  async #settle(lost: AbortSignal, ms: number): Promise<void> {
    const signal = AbortSignal.any([lost, this.#over.signal]);
    await wait(Math.max(ms, 0), undefined, { signal }).catch(() => {});
  }

  #lineFor(token: bigint): CommandLine {
    const { name, self } = this.#contest.election;
    const env = { CAUCUS_TOKEN: String(token), CAUCUS_ELECTION: name, CAUCUS_MEMBER: self };
    return { ...this.#line, env: { ...this.#line.env, ...env } };
  }
}

function resigned(detail: string): Why {
  return { cause: 'resigned', detail };
}

/** Who was asked for it, or whose store failed, is told so. A machine that is only slow need not cost anybody his lead. */
function lossHint(end: End, { reason }: AbortSignal, isOnStore: boolean): string {
  const isTold = reason instanceof LeadershipLost && TOLD.includes(reason.cause);
  if (isTold) return ` (${reason.detail})`;
  if (end.how === 'not-started' || !end.overdue) return '';
  const isBusy = 'if the machine is only busy, take a longer lease: see caucus help run';
  return isOnStore ? ` (the store has not renewed it in time; ${isBusy})` : ` (${isBusy})`;
}
