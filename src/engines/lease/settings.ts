import { BadInput } from '../../core/index.ts';

/** The times of every engine with a lease. The defaults are those of Kubernetes. */
export interface LeaseOptions {
  /** How long a leadership lasts without a renewal, and so how long a crash goes unnoticed (default: 15 s). */
  readonly leaseMs?: number;
  /** How often the leader renews (default: a third of the lease). */
  readonly renewMs?: number;
  /**
   * How often the other participants poll if nothing wakes them (default: 2 s, and at least as often as the leader
   * renews).
   */
  readonly retryMs?: number;
  /** How long the store may take for one answer (default: a fifth of the lease, at most 3 s). */
  readonly callMs?: number;
  /** How far apart the rates of our clock and the store's may be (default: 0.05). */
  readonly maxDrift?: number;
}

export interface LeaseTimes {
  readonly leaseMs: number;
  /** How long we may act after requesting a lease: a little less than its length. */
  readonly actMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
  readonly callMs: number;
}

/** The limits of a store. */
export interface Floor {
  /** The shortest lease that it can hold, and why. */
  readonly leaseMs: number;
  readonly reason: string;
}

const NONE: Floor = { leaseMs: 50, reason: 'an event loop is late by some milliseconds now and then' };

/** Reads and checks all times; `usual` holds the defaults. Throws BadInput, naming the option and what to do. */
export function leaseTimes(
  options: LeaseOptions,
  floor: Floor = NONE,
  usual: Pick<LeaseOptions, 'renewMs' | 'callMs' | 'retryMs'> = {},
): LeaseTimes {
  const leaseMs = positive('leaseMs', options.leaseMs, 15_000);
  if (leaseMs < floor.leaseMs) {
    throw new BadInput('leaseMs', `at least ${floor.leaseMs}, since ${floor.reason}`, String(leaseMs));
  }
  const maxDrift = options.maxDrift ?? 0.05;
  if (!(typeof maxDrift === 'number' && maxDrift >= 0 && maxDrift <= 0.5))
    throw new BadInput('maxDrift', 'a number from 0 to 0.5', String(maxDrift));
  const actMs = leaseMs * (1 - maxDrift);
  const renewMs = positive('renewMs', options.renewMs, usual.renewMs ?? leaseMs / 3);
  const callMs = positive('callMs', options.callMs, usual.callMs ?? Math.min(3000, leaseMs / 5));
  const retryMs = positive('retryMs', options.retryMs, usual.retryMs ?? Math.min(2000, renewMs));
  if (renewMs + callMs > actMs) throw tooLate(options, { leaseMs, actMs, renewMs, retryMs, callMs });
  return { leaseMs, actMs, renewMs, retryMs, callMs };
}

/** Names an option that was set, not one that was derived from it. */
function tooLate(given: LeaseOptions, { leaseMs, actMs, renewMs, callMs }: LeaseTimes): BadInput {
  const why = 'so that a renewal ends before the lease';
  if (given.callMs !== undefined && (given.renewMs === undefined || callMs >= actMs)) {
    const most = Math.floor(given.renewMs === undefined ? actMs - renewMs : actMs / 2);
    return new BadInput('callMs', `at most ${most}, ${why} of ${leaseMs} ms`, String(callMs));
  }
  if (given.renewMs !== undefined) {
    const room = `at most ${Math.floor(actMs - callMs)}, ${why} of ${leaseMs} ms (callMs is ${Math.round(callMs)})`;
    return new BadInput('renewMs', room, String(renewMs));
  }
  const most = Math.floor((1 - (renewMs + callMs) / leaseMs) * 100) / 100;
  return new BadInput('maxDrift', `at most ${most}, ${why}`, String(given.maxDrift));
}

function positive(name: string, given: number | undefined, usual: number): number {
  const value = given ?? usual;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new BadInput(name, 'a number of milliseconds above 0', String(value));
}
