import { setTimeout as wait } from 'node:timers/promises';
import { CutShort, type OnceContext, type OnceWork } from '../../../election/index.ts';
import { withoutSecretVariables } from '../../input/secret-variables.ts';
import type { Log } from '../../terminal/log.ts';
import { endWords, exitCodeOf } from '../run/exit-code.ts';
import type { KeptCommand } from '../run/kept-command.ts';
import { runUnderLease } from '../run/under-lease.ts';

/** Exit codes of a shell for a command that it cannot run, and one that it does not find. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** This host lacks the command. Another one may have it, so the occasion has not failed. */
export class CannotRun extends CutShort {}

const ENDED = 'its command was ended by a second signal';

/** A command as the work of an occasion: done if its exit code is 0. */
export class KeptWork {
  /** Of the last run of the command. */
  exitCode = 0;
  /** The command cannot be guarded any more. */
  hasFailed = false;
  readonly #line: { readonly command: string; readonly args: readonly string[] };
  readonly #times: { readonly killAfterMs: number; readonly settleMs: number };
  readonly #log: Log;
  #keeper: KeptCommand | null = null;
  #isRunning = false;
  #isEnded = false;

  constructor(line: KeptWork['line'], times: { killAfterMs: number; settleMs: number }, log: Log) {
    this.#line = line;
    this.#times = times;
    this.#log = log;
  }

  get line(): { readonly command: string; readonly args: readonly string[] } {
    return this.#line;
  }

  open(keeper: KeptCommand): void {
    this.#keeper = keeper;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Ends the command at once. What it has not done is run again, perhaps elsewhere. */
  endNow(): void {
    this.#isEnded = true;
    this.#keeper?.stop(0);
  }

  fail(): void {
    this.hasFailed = true;
  }

  /** `more`: further variables. */
  workFor(
    { name, self }: { readonly name: string; readonly self: string },
    more: Readonly<Record<string, string>> = {},
  ): OnceWork<void> {
    return (context) => this.#run(context, { CAUCUS_ELECTION: name, CAUCUS_MEMBER: self, ...more });
  }

  async #run(context: OnceContext, names: Readonly<Record<string, string>>): Promise<void> {
    const { occasion, token, attempt, signal } = context;
    const { killAfterMs, settleMs } = this.#times;
    const { command, args } = this.#line;
    // A command that was killed elsewhere is dead by then.
    await wait(settleMs, undefined, { signal });
    if (this.#isEnded) throw new CutShort(ENDED);
    const env = {
      ...withoutSecretVariables(process.env),
      ...names,
      CAUCUS_TOKEN: String(token),
      CAUCUS_OCCASION: String(occasion),
      CAUCUS_ATTEMPT: String(attempt),
    };
    const fields = { occasion, token, attempt };
    const text = `starting ${command} for ${occasion}, attempt ${attempt}, token ${token}`;
    this.#log({ level: 'info', event: 'started', text, ...fields });
    this.#isRunning = true;
    const end = await runUnderLease(this.#keeper!, { command, args, env }, context, killAfterMs);
    this.#isRunning = false;
    const isCut = signal.aborted || this.#isEnded || (end.how !== 'not-started' && end.overdue);
    const level = isCut ? 'warn' : 'info';
    this.#log({ level, event: 'ended', text: `${command} ${endWords(end)}`, ...fields, ...end });
    this.exitCode = exitCodeOf(end);
    signal.throwIfAborted();
    if (this.#isEnded) throw new CutShort(ENDED);
    if (isCut) throw new CutShort('its lease was not renewed in time, so its command was ended');
    if (this.exitCode === NOT_EXECUTABLE || this.exitCode === NOT_FOUND) {
      const why = `${command} cannot be run on this host (exit code ${this.exitCode})`;
      this.#log({
        level: 'warn',
        event: 'cannot-run',
        text: `${why}: ${occasion} is left to others`,
        ...fields,
      });
      throw new CannotRun(why);
    }
    if (this.exitCode !== 0) throw new Error(`${command} ${endWords(end)}`);
  }
}
