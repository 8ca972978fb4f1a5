import { machineNowMs } from './clock.ts';
import { type Deadline, NO_DEADLINE } from './deadline.ts';
import type { CommandLine, End, KeptCommand } from './kept-command.ts';

/** The part of a leadership that a command needs. */
export interface Lease {
  /** Aborted when the leadership has ended. */
  readonly signal: AbortSignal;
  /** How long no other participant may act, from now; Infinity without a lease. */
  readonly expiresInMs: number;
  /**
   * The same after `signal` was aborted: how long the leadership is kept while the command ends. 0 or omitted: not at
   * all.
   */
  readonly heldForMs?: number;
}

/** Causes with which the leadership is kept until the command has ended, or its grace is over. */
const IN_ORDER: readonly unknown[] = ['resigned', 'transferred', 'removed', 'closed'];

/** Does the leadership last while the command ends? So it does too when only the time of the command is up. */
function isInOrder(reason: { readonly cause?: unknown; readonly code?: unknown } | undefined): boolean {
  return IN_ORDER.includes(reason?.cause) || reason?.code === 'E_TIMEOUT';
}

/**
 * A lease is renewed when three fifths of it are left or more (the presets send at two fifths). So:
 *   two fifths left   SIGTERM: the renewal is late
 *   one fifth left    SIGKILL: it must take effect before another participant may act
 */
const GRACE_SHARE = 0.2;
const RESERVE_SHARE = 0.2;
const LOOKS_PER_LEASE = 12;
const SHORTEST_LOOK_MS = 2;
const LONGEST_LOOK_MS = 250;
/** Without a lease there is nothing to renew; the check is only for one that may come later. */
const NO_LEASE_LOOK_MS = 250;

export function deadlineOf(expiresInMs: number, leaseMs: number, killAfterMs: number): Deadline {
  if (expiresInMs === Infinity) return NO_DEADLINE;
  const killAtMs = machineNowMs() + expiresInMs - leaseMs * RESERVE_SHARE;
  return { termAtMs: killAtMs - Math.min(killAfterMs, leaseMs * GRACE_SHARE), killAtMs };
}

/**
 * Runs a command for as long as the lease lasts, and settles when no process of it is left. There are two ways to end it early:
 *   the leadership was lost           SIGKILL at once: another participant may act, so there is no grace
 *   the leader resigns, or the        SIGTERM, and SIGKILL after the grace. The leadership is kept and renewed meanwhile; if it is
 *   time of the command is up         lost anyway, SIGKILL at once, and always before the lease can expire
 */
export async function runUnderLease(
  kept: KeptCommand,
  line: CommandLine,
  lease: Lease,
  killAfterMs: number,
): Promise<End> {
  let leaseMs = lease.expiresInMs;
  let renewedMs = machineNowMs() + lease.expiresInMs;
  let isEnding = false;
  const ended = kept.run(line, deadlineOf(lease.expiresInMs, leaseMs, killAfterMs));
  const look = (): void => {
    if (lease.signal.aborted && !isEnding) return;
    const leftMs = isEnding ? heldForMs(lease) : lease.expiresInMs;
    if (isEnding && leftMs === 0) return kept.extend(AT_ONCE);
    const untilMs = machineNowMs() + leftMs;
    if (untilMs < renewedMs + 1) return;
    renewedMs = untilMs;
    leaseMs = Math.max(leaseMs, leftMs);
    kept.extend(deadlineOf(leftMs, leaseMs, killAfterMs));
  };
  const timer = setInterval(look, lookEveryMs(leaseMs));
  const onOver = (): void => {
    isEnding = isInOrder(lease.signal.reason) && heldForMs(lease) > 0;
    if (!isEnding) return kept.extend(AT_ONCE);
    kept.stop(killAfterMs);
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

const AT_ONCE: Deadline = { termAtMs: 0, killAtMs: 0 };

function heldForMs({ heldForMs: leftMs = 0 }: Lease): number {
  return leftMs;
}

function lookEveryMs(leaseMs: number): number {
  if (leaseMs === Infinity) return NO_LEASE_LOOK_MS;
  return Math.min(Math.max(leaseMs / LOOKS_PER_LEASE, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
}
