/** What a process costs, as the kernel counts it. */
import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_MS = 1e6;

/** The processor time of a process so far, all its threads that live. */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + threadMs(`/proc/${pid}/task/${thread}/schedstat`), 0);
}

/** The memory of a process, in MB; 0 if it is about to end. */
export function rssMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** A process and its children: a PostgreSQL server has one for each connection. */
export function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

/** A thread may have ended meanwhile. */
function threadMs(file: string): number {
  try {
    return Number(readFileSync(file, 'latin1').split(' ')[0]) / NS_PER_MS;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}
