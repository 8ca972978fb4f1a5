import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Sends a signal to all processes of a group. False if there is none left. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: the processes exist, but belong to another user by now (a program that changed its user).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Can no process of this group ever run another instruction? Zombies cannot. */
export function isGroupDead(group: number): boolean {
  if (!signalGroup(group, 0)) return true;
  const states = statesOf(group);
  // There are processes. If the system lists none of them (another /proc, or one that hides them), their states are
  // unknown.
  return states.length > 0 && states.every((state) => state === 'Z' || state === 'X');
}

/** The states of all processes of a group, as far as the system shows them. */
function statesOf(group: number): string[] {
  let names: string[];
  try {
    // In a pid namespace without its own /proc, the numbers there are those of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return [];
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((pid) => stateOf(pid, group) ?? []);
}

/** The state of a process, if it belongs to this group. */
function stateOf(pid: string, group: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain parentheses and spaces; state, parent and group follow the last one.
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(itsGroup) === group ? state! : null;
  } catch {
    return null; // It ended meanwhile.
  }
}
