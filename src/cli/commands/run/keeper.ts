/**
 * The keeper of a command: a small process between `caucus run` and the command that it runs. It starts the command in a
 * process group of its own, and sees to it that no process of that group outlives the right to run:
 *
 *   caucus run goes away, however it dies   SIGKILL to the group at once (the channel between the two closes)
 *   the lease is not renewed in time        SIGTERM, then SIGKILL before the lease ends, also while caucus run is stopped
 *   caucus run asks for it                  SIGTERM, then SIGKILL after the grace
 *
 * It ends only when the group is dead, unless it is killed: then its watchdog kills the group.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { Alarm, type Deadline } from './deadline.ts';
import { isGroupDead, signalGroup } from './process-group.ts';
import { Watchdog } from './watchdog.ts';

/** What `caucus run` tells the keeper of its command. */
export type Order =
  | {
      readonly do: 'start';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly deadline: Deadline;
    }
  /** `caucus run` knows the process group too: now the command may begin. */
  | { readonly do: 'go' }
  /** The lease was renewed: the command may run until then. */
  | { readonly do: 'extend'; readonly deadline: Deadline }
  | { readonly do: 'signal'; readonly signal: NodeJS.Signals }
  /** SIGTERM now, SIGKILL after the grace, or earlier if the deadline comes first. */
  | { readonly do: 'stop'; readonly graceMs: number };

/** What the keeper answers. */
export type Report =
  | { readonly is: 'ready' }
  | { readonly is: 'started'; readonly pid: number }
  /** There is no shell to start it. */
  | { readonly is: 'failed'; readonly code: string; readonly message: string }
  /** No process of the command is left. `overdue`: it was told to end because the lease was about to expire. */
  | {
      readonly is: 'ended';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly overdue: boolean;
    };

const LOOK_EVERY_MS = 1;
/**
 * The command begins when a line comes through a pipe, and not at all if the pipe closes without one. So a command
 * does not begin if its keeper died before any other process knew the process group.
 */
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

class Keeper {
  readonly #alarm: Alarm = new Alarm(
    () => {
      this.#overdue = true;
      this.#signal('SIGTERM');
    },
    () => {
      this.#overdue = true;
      this.#kill();
    },
  );
  readonly #watchdog: Watchdog = new Watchdog();
  #child: ChildProcess | null = null;
  #gate: Writable | null = null;
  #grace: NodeJS.Timeout | undefined;
  #overdue = false;
  #killed = false;
  #orphaned = false;

  take(order: Order): void {
    switch (order.do) {
      case 'start':
        return this.#start(order);
      case 'go':
        this.#gate?.end('\n');
        return;
      case 'extend':
        if (this.#child !== null && !this.#killed) this.#alarm.set(order.deadline);
        return;
      case 'signal':
        return this.#signal(order.signal);
      case 'stop':
        this.#signal('SIGTERM');
        clearTimeout(this.#grace);
        if (this.#child !== null) this.#grace = setTimeout(() => this.#kill(), order.graceMs);
        return;
    }
  }

  /** `caucus run` is gone. */
  orphan(): void {
    this.#orphaned = true;
    if (this.#child === null) process.exit(0);
    this.#kill();
  }

  #start({ command, args, env, deadline }: Extract<Order, { do: 'start' }>): void {
    this.#overdue = false;
    this.#killed = false;
    const child = spawn('/bin/sh', ['-c', GATE, 'sh', command, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      detached: true,
      env,
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) tell({ is: 'failed', code: error.code ?? '', message: error.message });
    });
    if (child.pid === undefined) return;
    this.#child = child;
    this.#gate = child.stdio[3] as Writable;
    this.#gate.on('error', () => {}); // The command ended before it began.
    // When the first process of the group has ended, the rest of the group must not continue.
    const { pid } = child;
    child.on('exit', (code, signal) => this.#confirm(pid, code, signal));
    this.#watchdog.guard(pid, () => tell({ is: 'started', pid }));
    this.#alarm.set(deadline);
  }

  #confirm(group: number, code: number | null, signal: NodeJS.Signals | null): void {
    if (!isGroupDead(group)) {
      signalGroup(group, 'SIGKILL');
      setTimeout(() => this.#confirm(group, code, signal), LOOK_EVERY_MS);
      return;
    }
    this.#child = null;
    this.#watchdog.release();
    this.#alarm.clear();
    clearTimeout(this.#grace);
    if (this.#orphaned) process.exit(0);
    tell({ is: 'ended', code, signal, overdue: this.#overdue });
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, signal);
  }

  #kill(): void {
    this.#killed = true;
    // SIGKILL also ends a group that is stopped or waits for a debugger.
    this.#signal('SIGKILL');
  }
}

function tell(report: Report): void {
  // If the channel has just closed, `disconnect` reports it.
  process.send?.(report, undefined, undefined, () => {});
}

// A signal to the whole terminal or service is meant for caucus run, which ends things in the right order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});

const keeper = new Keeper();
process.on('message', (order: Order) => keeper.take(order));
process.on('disconnect', () => keeper.orphan());
tell({ is: 'ready' });
