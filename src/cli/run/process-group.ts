import { readdirSync, readFileSync } from 'node:fs';

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
  const alive = livingMembers(group);
  return alive !== null && alive.length === 0;
}

/** The processes of a group that are neither dead nor zombies; null where the system does not tell. */
function livingMembers(group: number): number[] | null {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return null;
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isLivingMember(pid, group));
}

function isLivingMember(pid: number, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, also parentheses and spaces; state, parent and group follow the last.
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false; // It ended while we looked.
  }
}
