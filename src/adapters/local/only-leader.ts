import {
  type Cancellable,
  Election,
  type Leadership,
  type LeadershipLost,
  type Work,
} from '../../election/index.ts';
import { type LocalOptions, local } from '../../engines/local/index.ts';

export interface LocalLeaderOptions extends LocalOptions, Cancellable {
  /** Where the processes meet (default: a folder of this user, as `local:` has it). */
  readonly folder?: string;
  /** How long the work may take to stop (default: 10 s). */
  readonly drainMs?: number;
}

/** Work that is started and stopped, such as a timer: the leadership is held in between. */
export interface Shift {
  start(leadership: Leadership): unknown;
  /** Called once the leadership has ended, after `start` has settled. */
  stop?(why: LeadershipLost): unknown;
}

/**
 * Runs the work in one of the processes of this machine that call this with the same name. If that process ends, however
 * it ends, the work begins in another.
 *
 * A function leads until it settles, and this settles with its result; then another process that waits runs its own. An
 * object `{ start, stop }` leads until the process ends or `signal` is aborted. Once `signal` was aborted and the work
 * has stopped, this resolves with undefined.
 *
 * @example
 *     await onlyLeader('nightly', { start: () => task.start(), stop: () => task.stop() });
 */
export async function onlyLeader<T>(
  name: string,
  work: Work<T> | Shift,
  options: LocalLeaderOptions = {},
): Promise<T | undefined> {
  const { folder, signal, drainMs, ...rest } = options;
  const engine = local(folder === undefined ? 'local:' : `local:${folder}`, rest);
  try {
    const election = new Election(name, engine, drainMs === undefined ? {} : { drainMs });
    const run = typeof work === 'function' ? work : shiftOf(work);
    return await election.lead<T | undefined>(run, signal === undefined ? {} : { signal });
  } finally {
    await engine.close();
  }
}

function shiftOf(shift: Shift): Work<undefined> {
  return async (leadership) => {
    await shift.start(leadership);
    await shift.stop?.(await leadership.ended);
    return undefined;
  };
}
