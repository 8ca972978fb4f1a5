import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { withoutSecretVariables } from '../../input/secret-variables.ts';

/**
 * Reads the process group to guard, line by line; an empty line means none. The end of its input means that the
 * writing process has died. Signals to the whole session do not end it.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM USR1 USR2 ALRM
group=
while read -r line; do group=$line; done
[ -z "$group" ] || kill -9 "-$group"`;

/**
 * A shell at the end of a pipe that kills a process group as soon as the process that opened it is gone. `caucus run`
 * and the keeper have one each: if either of them is killed, the command dies, whatever happened to the other.
 */
export class Watchdog {
  readonly #shell: ChildProcess;
  readonly #input: Writable;

  constructor() {
    // In its own session, so that signals to the group of its owner do not reach it.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env: withoutSecretVariables(process.env),
    });
    this.#input = this.#shell.stdin!;
    this.#shell.on('error', () => {}); // Without a shell the command cannot start either, and that is reported.
    this.#input.on('error', () => {});
    this.#shell.unref();
  }

  /** Calls back once the group would be killed if this process died. */
  guard(group: number, done: () => void): void {
    this.#input.write(`${group}\n`, () => done());
  }

  /** The group is gone, and its number may soon be reused. */
  release(): void {
    this.#input.write('\n');
  }

  close(): void {
    this.#input.end();
  }
}
