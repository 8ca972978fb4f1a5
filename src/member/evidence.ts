/**
 * Is a process certainly dead? A closed connection is no proof: a tunnel closes too. But a process that announced
 * where it runs can be looked up if it runs on this kernel: same boot of the same host, same namespaces. Then the
 * kernel knows. Anything that cannot be read or is not understood is no proof.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import type { ProcessIdentity } from '../peers/index.ts';

/** The flag of a task that has begun to exit and runs no more code of its program. */
const PF_EXITING = 0x4;

interface Task {
  readonly state: string;
  readonly flags: number;
  readonly startTime: string;
}

/** This process, or null if the system does not tell. */
export function ownProcess(): ProcessIdentity | null {
  try {
    const task = readTask(`/proc/${process.pid}/stat`);
    if (task === null) return null;
    return { bootId: bootId(), pidNamespace: namespaces(), pid: process.pid, startTime: task.startTime };
  } catch {
    return null;
  }
}

/** Could its death be observed from here at all? */
export function isWithinSight(identity: ProcessIdentity): boolean {
  try {
    return identity.bootId === bootId() && identity.pidNamespace === namespaces();
  } catch {
    return false;
  }
}

/** True only if this process can never run another instruction of its program. */
export function isDead(identity: ProcessIdentity): boolean {
  if (!isWithinSight(identity)) return false;
  try {
    const folder = `/proc/${identity.pid}`;
    const main = readTask(`${folder}/stat`);
    if (main === null) return hasNoProcess(identity.pid);
    if (main.startTime !== identity.startTime) return true;
    // The other threads of a process may outlive its main thread.
    return (
      isEnding(main) &&
      readdirSync(`${folder}/task`).every((thread) => {
        const task = readTask(`${folder}/task/${thread}/stat`);
        return task === null || isEnding(task);
      })
    );
  } catch (error) {
    return isAbsence(error) && hasNoProcess(identity.pid); // It vanished meanwhile.
  }
}

/** /proc may hide the processes of other users (`hidepid`); sending signal 0 finds them anyway. */
function hasNoProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function isEnding({ state, flags }: Task): boolean {
  return state === 'Z' || state === 'X' || (flags & PF_EXITING) !== 0;
}

/** Longer than any `stat`: a name of 64 characters and fifty numbers of at most twenty digits. */
const bytes = Buffer.alloc(2048);

/** In three system calls; `readFileSync` takes twice as many, and a dying process has a dozen threads to be looked at. */
function readShort(file: string): string {
  const fd = openSync(file, 'r');
  try {
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Null if there is no such task. */
function readTask(file: string): Task | null {
  let text: string;
  try {
    text = readShort(file);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
  // The program's name stands in parentheses and may contain any character, so the fields are counted from the last
  // closing parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, flags, startTime] = [fields[0], Number(fields[6]), fields[19]];
  if (state === undefined || startTime === undefined || !Number.isInteger(flags)) {
    throw new Error(`${file} is not understood`);
  }
  return { state, flags, startTime };
}

/** No such file, or no such process. */
function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESRCH';
}

let knownBootId: string | null = null;
let knownNamespaces: string | null = null;

/** Neither value changes while a process runs. */
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return knownBootId;
}

/** Throws if /proc does not show the processes of our own pid namespace. */
function namespaces(): string {
  knownNamespaces ??= readNamespaces();
  return knownNamespaces;
}

function readNamespaces(): string {
  // A /proc of an outer pid namespace lists our pid there before our own, so its pids are not ours.
  const pids = /^NSpid:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  if (pids !== String(process.pid)) throw new Error('/proc belongs to another pid namespace');
  // Start times are relative to the boot time in the reader's time namespace.
  return [readlinkSync('/proc/self/ns/pid'), timeNamespace()].join(' ').trim();
}

/** Empty if the system has no time namespaces. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch (error) {
    if (isAbsence(error)) return '';
    throw error;
  }
}
