import { machineNowMs } from './clock.ts';
import { type Deadline, NO_DEADLINE } from './deadline.ts';
import type { CommandLine, End, KeptCommand } from './kept-command.ts';

/** As much of a leadership as a command needs to run under it. */
export interface Lease {
  /** Aborted when the leadership is over. */
  readonly signal: AbortSignal;
  /** How long nobody else may act, from now; Infinity where there is no lease. */
  readonly expiresInMs: number;
}

/**
 * A lease is renewed when three fifths of it are left or more (the presets send at two fifths). So:
 *   two fifths left   SIGTERM: the renewal is late
 *   one fifth left    SIGKILL: there must be time for it to be carried out before anybody else may act
 */
const GRACE_SHARE = 0.2;
const RESERVE_SHARE = 0.2;
const LOOKS_PER_LEASE = 12;
const SHORTEST_LOOK_MS = 2;
const LONGEST_LOOK_MS = 250;
/** Without a lease there is nothing to renew; the look is only for one that may come. */
const NO_LEASE_LOOK_MS = 250;

export function deadlineOf(expiresInMs: number, leaseMs: number, killAfterMs: number): Deadline {
  if (expiresInMs === Infinity) return NO_DEADLINE;
  const killAtMs = machineNowMs() + expiresInMs - leaseMs * RESERVE_SHARE;
  return { termAtMs: killAtMs - Math.min(killAfterMs, leaseMs * GRACE_SHARE), killAtMs };
}

/**
 * Runs a command for as long as the lease lasts, and settles when no process of it is left. A leadership that is over has
 * no time for a grace: the command is killed at once. `isHeld`: one that we were asked to resign is ours until the command has
 * ended, so that it may end in order, before the deadline that it has.
 */
export async function runUnderLease(
  kept: KeptCommand,
  line: CommandLine,
  lease: Lease,
  killAfterMs: number,
  isHeld = false,
): Promise<End> {
  let leaseMs = lease.expiresInMs;
  let renewedMs = machineNowMs() + lease.expiresInMs;
  const ended = kept.run(line, deadlineOf(lease.expiresInMs, leaseMs, killAfterMs));
  const look = (): void => {
    const { expiresInMs } = lease;
    const untilMs = machineNowMs() + expiresInMs;
    if (lease.signal.aborted || untilMs < renewedMs + 1) return;
    renewedMs = untilMs;
    leaseMs = Math.max(leaseMs, expiresInMs);
    kept.extend(deadlineOf(expiresInMs, leaseMs, killAfterMs));
  };
  const timer = setInterval(look, lookEveryMs(leaseMs));
  const onOver = (): void => {
    if (isHeld && lease.signal.reason?.cause === 'resigned') kept.stop(killAfterMs);
    else kept.extend({ termAtMs: 0, killAtMs: 0 });
  };
  lease.signal.addEventListener('abort', onOver, { once: true });
  if (lease.signal.aborted) onOver();
  try {
    return await ended;
  } finally {
    clearInterval(timer);
    lease.signal.removeEventListener('abort', onOver);
  }
}

function lookEveryMs(leaseMs: number): number {
  if (leaseMs === Infinity) return NO_LEASE_LOOK_MS;
  return Math.min(Math.max(leaseMs / LOOKS_PER_LEASE, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
}
