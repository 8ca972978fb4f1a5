import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads the process group to guard, line by line; an empty line is none. The end of its input is the death of whoever writes
 * to it, however that came about. Signals that are meant for everybody do not end it.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM USR1 USR2 ALRM
group=
while read -r line; do group=$line; done
[ -z "$group" ] || kill -9 "-$group"`;

/**
 * A shell at the end of a pipe that kills a process group as soon as the process that opened it is gone. `caucus run` and the
 * keeper have one each: whichever of the two is killed, and whatever has become of the other, the command dies.
 */
export class Watchdog {
  readonly #shell: ChildProcess;
  readonly #input: Writable;

  constructor() {
    // In a session of its own, so that what is sent to the group of its owner does not reach it.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#input = this.#shell.stdin!;
    this.#shell.on('error', () => {}); // Without a shell the command cannot be started either, and that is told.
    this.#input.on('error', () => {});
    this.#shell.unref();
  }

  /** Calls back when the group would be killed if this process died. */
  guard(group: number, done: () => void): void {
    this.#input.write(`${group}\n`, () => done());
  }

  /** Nothing is left of the group, and its number may soon be that of another. */
  release(): void {
    this.#input.write('\n');
  }

  close(): void {
    this.#input.end();
  }
}
