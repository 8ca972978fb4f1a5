import type { Cause } from '../core/index.ts';

/** Each code stands for one thing that can go wrong. Programs compare codes, so they never change. */
export type ErrorCode =
  /** The command needs the leader, and this participant does not lead. */
  | 'E_NOT_LEADER'
  | 'E_LEADERSHIP_LOST'
  /** The election, or the member that it is on, was closed. */
  | 'E_CLOSED'
  /** The request was refused, with the reason; it had no effect. */
  | 'E_REFUSED'
  /** It was tried and failed; `outcome` says whether it may have happened anyway. */
  | 'E_FAILED'
  /** There was no answer in time. */
  | 'E_TIMEOUT'
  /** The leader's work kept running long after its signal was aborted. */
  | 'E_WORK_NOT_STOPPED'
  /** The protocol or engine of this election cannot do that. */
  | 'E_UNSUPPORTED'
  /** The store or the members behind the election cannot be reached. */
  | 'E_UNREACHABLE'
  /** The data folder of a member is damaged, belongs to another member, is in use, or cannot be read or written. */
  | 'E_STORE_CORRUPT'
  | 'E_STORE_VERSION'
  | 'E_STORE_FOREIGN'
  | 'E_STORE_LOCKED'
  | 'E_STORE_UNUSABLE'
  /** A member cannot listen on the address that it was given. */
  | 'E_LISTEN'
  /** A fencing token is missing, is not a number, or is older than one already accepted. */
  | 'E_NO_TOKEN'
  | 'E_STALE_TOKEN';

export interface ErrorDetails {
  /** `definite`: it certainly did not happen. `indefinite`: it may have happened, or may still happen. */
  readonly outcome?: 'definite' | 'indefinite';
  readonly cause?: unknown;
}

/** An operation of an election failed. Losing a leadership is not an error: see `LeadershipLost`. */
export class CaucusError extends Error {
  readonly code: ErrorCode;
  readonly outcome: 'definite' | 'indefinite';

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'CaucusError';
    this.code = code;
    this.outcome = details.outcome ?? 'definite';
  }
}

/** Why a leadership ended: the reason of its signal, and what its `assert()` throws. */
export class LeadershipLost extends CaucusError {
  /** The cause, for programs. */
  override readonly cause: Cause;
  /** One sentence for people. */
  readonly detail: string;

  constructor(election: string, cause: Cause, detail: string) {
    super('E_LEADERSHIP_LOST', `no longer leading ${election}: ${detail}`);
    this.name = 'LeadershipLost';
    this.cause = cause;
    this.detail = detail;
  }
}
