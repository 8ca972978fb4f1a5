/** What a program may ask of an election, and what is refused. */
import { asObject, BadInput, refuseUnknown, show } from '../core/values.ts';
import { type Clock, processClock } from './clock.ts';

export interface Patience {
  /** How long the work may continue after its signal was aborted before the leadership is released anyway. */
  readonly drainMs: number;
  /** How long the seat may take to release, transfer or publish before we stop waiting. */
  readonly answerMs: number;
}

export interface ElectionOptions {
  /** How long work may go on after its signal was aborted before a leadership that still holds is released (10 s). */
  readonly drainMs?: number;
  /** How long a release, a transfer or a publication may take before it counts as failed (default: 10 s). */
  readonly answerMs?: number;
  /** Virtual time, for tests. */
  readonly clock?: Clock;
}

export interface ResignationOptions {
  /** The reason, in one line for people. The leader's work sees it in `LeadershipLost`. */
  readonly reason?: string;
  /** The leadership that is meant (default: the current one, as far as this participant knows). */
  readonly token?: bigint;
}

/** One object for all elections: a program may have thousands. */
const USUAL: Patience = { drainMs: 10_000, answerMs: 10_000 };

/** Throws BadInput if an election cannot have these options. */
export function readOptions(options: ElectionOptions): {
  readonly patience: Patience;
  readonly clock: Clock;
} {
  refuseUnknown(asObject(options, 'options'), { drainMs: 0, answerMs: 0, clock: 0 }, '');
  const { drainMs = USUAL.drainMs, answerMs = USUAL.answerMs, clock = processClock } = options;
  for (const [path, ms] of Object.entries({ drainMs, answerMs }))
    if (!(typeof ms === 'number' && ms >= 0)) throw new BadInput(path, 'milliseconds, 0 or more', show(ms));
  const isUsual = drainMs === USUAL.drainMs && answerMs === USUAL.answerMs;
  return { patience: isUsual ? USUAL : { drainMs, answerMs }, clock };
}

const LONGEST_REASON = 500;

/** Reasons are stored and printed in logs. */
export function checkReason(reason: string): void {
  const isFit = typeof reason === 'string' && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(reason);
  if (isFit && reason.length <= LONGEST_REASON) return;
  throw new BadInput('reason', `one line of at most ${LONGEST_REASON} characters`, show(reason));
}
