import type { Cause } from '../core/index.ts';

/** Each stands for one thing that can go wrong. Programs compare them, so they never change. */
export type ErrorCode =
  /** It was asked of somebody who does not lead. */
  | 'E_NOT_LEADER'
  | 'E_LEADERSHIP_LOST'
  /** The election, or the member that it is on, was closed. */
  | 'E_CLOSED'
  /** What was asked for is refused, with the reason; nothing happened. */
  | 'E_REFUSED'
  /** It was tried and did not succeed; `outcome` says whether it may have happened all the same. */
  | 'E_FAILED'
  /** There was no answer in time. */
  | 'E_TIMEOUT'
  /** The leader's work went on although its signal was aborted long ago. */
  | 'E_WORK_NOT_STOPPED'
  /** The protocol or store behind this election cannot do that. */
  | 'E_UNSUPPORTED'
  /** What is behind the election cannot be reached. */
  | 'E_UNREACHABLE'
  /** What a member keeps on its disk is torn or damaged, belongs to somebody else, is in use, or cannot be read or written. */
  | 'E_STORE_CORRUPT'
  | 'E_STORE_VERSION'
  | 'E_STORE_FOREIGN'
  | 'E_STORE_LOCKED'
  | 'E_STORE_UNUSABLE'
  /** A member cannot listen where it was told to. */
  | 'E_LISTEN'
  /** A fencing token is missing, is no token, or is older than one that was seen. */
  | 'E_NO_TOKEN'
  | 'E_STALE_TOKEN';

export interface ErrorDetails {
  /** `definite`: it certainly did not happen. `indefinite`: it may have, or may still happen. */
  readonly outcome?: 'definite' | 'indefinite';
  readonly cause?: unknown;
}

/** Something did not come about while running an election. Losing one is no error: see `LeadershipLost`. */
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

/** Why a leadership has ended: the reason of its signal, and what its `assert()` throws. */
export class LeadershipLost extends CaucusError {
  /** One word for programs. */
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
