import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutSecretVariables } from '../../input/secret-variables.ts';
import { Alarm, type Deadline } from './deadline.ts';
import type { Order, Report } from './keeper.ts';
import { isGroupDead, signalGroup } from './process-group.ts';
import { Watchdog } from './watchdog.ts';

/** How a command ended. No process of it is left then. `overdue`: because its lease was about to expire. */
export type End =
  | { readonly how: 'exited'; readonly code: number; readonly overdue: boolean }
  | { readonly how: 'killed'; readonly signal: NodeJS.Signals; readonly overdue: boolean }
  | { readonly how: 'not-started'; readonly code: string; readonly message: string };

/** The command to run. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const LOOK_EVERY_MS = 1;
/** Both files are compiled to JavaScript, or both run as TypeScript. */
const KEEPER = fileURLToPath(new URL(`./keeper${import.meta.url.slice(-3)}`, import.meta.url));

/**
 * The command behind its keeper, as `caucus run` sees it. The keeper alone decides when the command has ended. If the
 * keeper itself is killed, the rest of the command is killed from here, and by the keeper's watchdog.
 */
export class KeptCommand {
  readonly #keeper: ChildProcess;
  readonly #watchdog: Watchdog = new Watchdog();
  readonly #alarm: Alarm = new Alarm(
    () => this.#endGroup('SIGTERM'),
    () => this.#endGroup('SIGKILL'),
  );
  #isOverdue = false;
  #group: number | null = null;
  #onEnd: ((end: End) => void) | null = null;
  #onLost: (() => void) | null = null;
  #closing = false;

  readonly keeperPid: number;

  private constructor(keeper: ChildProcess) {
    this.#keeper = keeper;
    this.keeperPid = keeper.pid!;
    keeper.on('message', (report: Report) => this.#hear(report));
    // Its last messages may still be in flight when it is dead; one of them may name the command that it started.
    keeper.on('exit', () => {
      if (keeper.connected) keeper.once('disconnect', () => this.#keeperGone());
      else this.#keeperGone();
    });
  }

  /** Starts the keeper. Starting Node.js takes time, so this is done before there is anything to run. */
  static open(onLost: () => void): Promise<KeptCommand> {
    const keeper = fork(KEEPER, [], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: withoutSecretVariables(process.env),
    });
    return new Promise((resolve, reject) => {
      keeper.once('error', reject);
      keeper.once('exit', (code) => reject(new Error(`the keeper of the command ended with ${code}`)));
      keeper.once('message', () => {
        keeper.removeAllListeners();
        const kept = new KeptCommand(keeper);
        kept.#onLost = onLost;
        keeper.on('error', () => {}); // A message that could not be sent: its end is told by `exit`.
        resolve(kept);
      });
    });
  }

  /** Settles when no process of the command is left, never before. */
  run(line: CommandLine, deadline: Deadline): Promise<End> {
    return new Promise((resolve) => {
      this.#onEnd = resolve;
      this.#isOverdue = false;
      this.#order({ do: 'start', ...line, deadline });
      this.#alarm.set(deadline);
    });
  }

  extend(deadline: Deadline): void {
    if (this.#onEnd === null) return;
    this.#order({ do: 'extend', deadline });
    this.#alarm.set(deadline);
  }

  signal(signal: NodeJS.Signals): void {
    this.#order({ do: 'signal', signal });
  }

  stop(graceMs: number): void {
    this.#order({ do: 'stop', graceMs });
  }

  /** Stops the keeper. What still runs is killed, and this settles when it is dead. */
  async close(): Promise<void> {
    this.#closing = true;
    try {
      await this.#keeperEnds();
    } finally {
      this.#watchdog.close();
    }
  }

  async #keeperEnds(): Promise<void> {
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#keeper.once('exit', () => resolve()));
    if (this.#keeper.connected) this.#keeper.disconnect();
    await gone;
  }

  #hear(report: Report): void {
    switch (report.is) {
      case 'ready':
        return;
      case 'started':
        this.#group = report.pid;
        return this.#watchdog.guard(report.pid, () => this.#order({ do: 'go' }));
      case 'failed':
        return this.#end({ how: 'not-started', code: report.code, message: report.message });
      case 'ended': {
        const { code, signal } = report;
        const overdue = report.overdue || this.#isOverdue;
        const end: End =
          code === null ? { how: 'killed', signal: signal!, overdue } : { how: 'exited', code, overdue };
        return this.#end(end);
      }
    }
  }

  #keeperGone(): void {
    const group = this.#group;
    if (!this.#closing) this.#onLost?.();
    if (group !== null && !isGroupDead(group)) {
      signalGroup(group, 'SIGKILL');
      setTimeout(() => this.#keeperGone(), LOOK_EVERY_MS);
      return;
    }
    this.#end({ how: 'killed', signal: 'SIGKILL', overdue: true });
  }

  #end(end: End): void {
    if (this.#group !== null) this.#watchdog.release();
    this.#group = null;
    this.#alarm.clear();
    this.#onEnd?.(end);
    this.#onEnd = null;
  }

  #order(order: Order): void {
    if (this.#keeper.connected) this.#keeper.send(order, () => {});
  }

  /** The lease is about to expire. */
  #endGroup(signal: NodeJS.Signals): void {
    this.#isOverdue = true;
    if (this.#group !== null) signalGroup(this.#group, signal);
  }
}
