import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Sends a signal to all processes of a group. False if there is none left to take it. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: the processes are there, but belong to somebody else by now (a program that changed its user).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Can no process of this group ever run another instruction? Those that only wait to be reaped cannot. */
export function isGroupDead(group: number): boolean {
  if (!signalGroup(group, 0)) return true;
  const states = statesOf(group);
  // Somebody is there. Where the system shows nobody (another /proc than ours, or one that hides), it cannot tell us how he is.
  return states.length > 0 && states.every((state) => state === 'Z' || state === 'X');
}

/** The states of all processes of a group, as far as the system tells. */
function statesOf(group: number): string[] {
  let names: string[];
  try {
    // In a pid namespace that did not get a /proc of its own, the numbers there are those of others.
    if (readlinkSync('/proc/self') !== String(process.pid)) return [];
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((pid) => stateOf(pid, group) ?? []);
}

/** The state of a process, if it is of this group. */
function stateOf(pid: string, group: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, also parentheses and spaces; state, parent and group follow the last.
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(itsGroup) === group ? state! : null;
  } catch {
    return null; // It ended while we looked.
  }
}
