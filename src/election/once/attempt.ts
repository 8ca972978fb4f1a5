/** One attempt of `once`: runs the work under a shift's leadership, until it settles or its time is up. */
import type { OnceRecord, Run } from '../../once/index.ts';
import { onceAborted } from '../aborts.ts';
import type { Candidacy } from '../candidacy.ts';
import { settlesWithin } from '../clock.ts';
import { deferred } from '../deferred.ts';
import { CaucusError } from '../errors.ts';
import type { Transaction } from '../seat.ts';
import { type Result, resultOf } from '../work.ts';
import type { OnceSettings, OnceWork, TransactionContext } from './options.ts';
import { type Changed, type Shift, Unrecorded } from './shift.ts';
import { type Right, workContext } from './work-context.ts';

/** An attempt whose beginning is recorded. */
export interface Begun {
  readonly do: 'run';
  readonly attempt: number;
  readonly failures: number;
  readonly previous: Run | null;
}

interface AttemptAround {
  readonly candidacy: Candidacy;
  readonly settings: OnceSettings;
  /** The right to work: a leadership, or the ownership of a shard, which has no transactions. */
  readonly shift: Pick<Shift, 'abandon'> & Partial<Pick<Shift, 'transact'>> & { readonly leadership: Right };
}

/** Why work was told to stop, other than by the end of its leadership. */
interface CallOff {
  readonly reason: unknown;
  /** It took longer than it may, and has failed. */
  readonly isLate: boolean;
}

/** `finish`: what is recorded if the work is done in a transaction. */
export async function attempt<T>(
  around: AttemptAround,
  work: OnceWork<T, TransactionContext>,
  begun: Begun,
  finish?: (record: OnceRecord) => Changed<Run>,
): Promise<Result<T> & { run?: Run }> {
  const { shift, settings, candidacy } = around;
  const { leadership } = shift;
  const { occasion, idleMs, maxRunMs, drainMs, signal } = settings;
  const { clock, closed } = candidacy;
  const stop = new AbortController();
  const stopped = deferred<CallOff>();
  const timers: (() => void)[] = [];
  const end = (reason: unknown, isLate = false): void => {
    stop.abort(reason);
    stopped.resolve({ reason, isLate });
  };
  if (maxRunMs !== Infinity) {
    const late = new CaucusError('E_TIMEOUT', `the work did not end within ${maxRunMs} ms`);
    timers.push(clock.after(maxRunMs, () => end(late, true)));
  }
  const forget = [
    onceAborted([leadership.signal], (reason) => stop.abort(reason)),
    onceAborted([closed], (reason) => end(reason)),
    onceAborted([signal], (reason) => {
      if (drainMs === 0) end(reason);
      else timers.push(clock.after(drainMs, () => end(reason)));
    }),
  ];
  let run: Run | undefined;
  const inContext = (transaction: Transaction | null): T | PromiseLike<T> =>
    work(workContext(leadership, stop.signal, { occasion, ...begun }, transaction));
  const running = resultOf(async () => {
    if (idleMs === null) return inContext(null);
    let value: T | undefined;
    const inside = async (transaction: Transaction): Promise<void> => {
      value = await inContext(transaction);
      stop.signal.throwIfAborted(); // Work that was told to stop is not done, and is rolled back.
    };
    const ended = (error: CaucusError): void => end(error, true);
    run = await shift.transact!({ run: inside, idleMs, ended }, finish!);
    return value as T;
  });
  try {
    const first = await Promise.race([running, stopped.promise]);
    const result = 'ok' in first ? first : await stops(around, running, first);
    if (!result.ok && result.error instanceof Unrecorded) throw result.error;
    return run === undefined ? result : { ...result, run };
  } finally {
    for (const each of [...timers, ...forget]) each();
  }
}

/**
 * Work that was told to stop has failed if it took too long. If the call was called off, that is no result. Work that
 * ignores its signal is not waited for beyond the drain time: another participant may run it again.
 */
async function stops<T>(
  { candidacy, shift }: AttemptAround,
  running: Promise<Result<T>>,
  { reason, isLate }: CallOff,
): Promise<Result<T>> {
  if (await settlesWithin(candidacy.clock, running, candidacy.patience.drainMs)) {
    if (isLate) return { ok: false, error: reason };
    throw reason;
  }
  shift.abandon(running);
  const detail = isLate ? 'although its time was up' : 'although it was called off';
  const message = `the work is still running ${detail}: it ignored its signal`;
  throw new CaucusError('E_WORK_NOT_STOPPED', message, { outcome: 'indefinite', cause: reason });
}
