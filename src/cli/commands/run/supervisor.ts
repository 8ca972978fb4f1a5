import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { anyOf, type Cause, LeadershipLost, type Why } from '../../../election/index.ts';
import { duration } from '../../../story/index.ts';
import type { Log } from '../../terminal/log.ts';
import { endWords, exitCodeOf } from './exit-code.ts';
import type { CommandLine, End, KeptCommand } from './kept-command.ts';
import { type Lease, runUnderLease } from './under-lease.ts';

/** A leadership as the supervisor uses it. */
export interface HeldLead extends Lease {
  readonly token: bigint;
  /** Confirms that no process of the command runs any more, and lets another participant take over. */
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
  /** What is wrong with the store, if there is one. */
  readonly health?: { readonly illness: string | null };
}

export interface RunRules {
  /** The time between SIGTERM and SIGKILL, if the lease allows it. */
  readonly killAfterMs: number;
  /** The election is held on a store. */
  readonly isOnStore: boolean;
  /** Do not campaign again after a loss. */
  readonly once: boolean;
  readonly onExit: 'resign' | 'restart';
  /** Stop if not elected by then; null to wait for ever. */
  readonly timeoutMs: number | null;
  /** How long the command waits after the election, so that a command that was killed elsewhere is dead. */
  readonly settleMs: number;
}

/** A command that ends at once is not restarted more often than this. */
const RESTART_EVERY_MS = 1000;
const NOT_ELECTED = 1;
/** With `--once`, whatever the command's own exit code. As in sysexits.h: a retry may succeed. */
const LOST = 75;
const FAILED = 1;
const BY_SIGNAL = 128;
/** Causes of a loss with an informative detail. */
const TOLD: readonly Cause[] = ['resigned', 'transferred', 'removed', 'store-unreachable', 'deposed'];

/** Runs the command whenever we lead, never otherwise, and returns the exit code. */
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

  /** Ends the command in order while we still lead; then resigns and stops. */
  stop(signal: NodeJS.Signals): void {
    if (this.#stoppedBy !== null) return;
    this.#stoppedBy = signal;
    this.#over.abort();
    if (!this.#isRunning) return;
    if (signal !== 'SIGTERM') this.#kept.signal(signal);
    this.#kept.stop(this.#rules.killAfterMs);
  }

  /** The command cannot be guarded any more. Its processes are being killed. */
  fail(): void {
    this.#hasFailed = true;
    this.#over.abort();
  }

  /** Passes on a signal that does not end the command. */
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
      // Only now nothing is left that acts under this leadership.
      await lead.resign(this.#reasonOf(end)).catch(() => {});
      if (this.#hasFailed) return FAILED;
      if (end === 'lost' && this.#rules.once) return LOST;
      if (typeof end === 'object') return exitCodeOf(end);
    }
  }

  async #win(): Promise<HeldLead | null> {
    const { timeoutMs } = this.#rules;
    const limits = timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)];
    const signal = anyOf([this.#over.signal, ...limits]);
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

  /**
   * Settles when no process of the command is left: with how it ended, or that the leadership ended, perhaps before
   * the command began.
   */
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

  /** The reason that the histories of all members record. A leadership that was already lost has its own reason. */
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

  /** Waits, but stops waiting when the leadership or the run ends. */
  async #settle(lost: AbortSignal, ms: number): Promise<void> {
    const signal = anyOf([lost, this.#over.signal]);
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

/**
 * After a request or a failure of the store, the cause itself is logged. Otherwise the machine may only be slow, and
 * a longer lease would help.
 */
function lossHint(end: End, { reason }: AbortSignal, isOnStore: boolean): string {
  const isTold = reason instanceof LeadershipLost && TOLD.includes(reason.cause);
  if (isTold) return ` (${reason.detail})`;
  if (end.how === 'not-started' || !end.overdue) return '';
  const isBusy = 'if the machine is only busy, use a longer lease: see caucus help run';
  return isOnStore ? ` (the store has not renewed it in time; ${isBusy})` : ` (${isBusy})`;
}
