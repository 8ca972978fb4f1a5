import { BadInput, choice, integer, number, refuseUnknown, type Shape, show } from '../../core/values.ts';
import {
  MAIN_SERIES,
  momentOf,
  type Occasion,
  parseOccasion,
  type Run,
  type Series,
  seriesName,
  type Wish,
} from '../../once/index.ts';
import type { Cancellable } from '../aborts.ts';
import type { Transaction } from '../seat.ts';

/** How work that is done once for an occasion is run. All replicas should say the same. */
export interface OnceOptions extends Cancellable {
  /** Which series of occasions, where several share one election (default: `main`). Occasions grow within a series. */
  readonly series?: string;
  /**
   * What to do about an occasion that is late by more than `lateMs` when its work would begin: run it, or record it as
   * skipped (default: `run`). `skip` needs an occasion that is a date and time.
   */
  readonly misfire?: 'run' | 'skip';
  /** See `misfire` (default: 60,000). */
  readonly lateMs?: number;
  /** How many times work that failed is tried again before the occasion is recorded as failed (default: 0). */
  readonly retries?: number;
  /** How long to wait before the first of these; it doubles each time, up to a minute (default: 1,000). */
  readonly backOffMs?: number;
  /**
   * How many times the work may begin in all (default: 10, and at least one more than `retries`). Attempts that are cut
   * short, by a crash or a lost leadership, are no failures, so only this limits work that kills its process.
   */
  readonly maxAttempts?: number;
  /** How long one attempt may take: then its signal is aborted, and it has failed (default: for ever). */
  readonly maxRunMs?: number;
  /** How long the work may go on after `signal` was aborted, before its own signal is (default: 0). */
  readonly drainMs?: number;
  /**
   * The work gets a transaction of the store, which also records the occasion as done and checks the token: both are
   * committed, or neither is. Only PostgreSQL can do that. `idleMs`: how long the transaction may wait for its program
   * (default: 30,000); meanwhile no other participant can take over.
   */
  readonly transaction?: boolean | { readonly idleMs?: number };
}

/** What work that is done once gets. Its functions can be taken off it. */
export interface OnceContext {
  readonly occasion: Occasion;
  /** Greater than that of every attempt before. A fenced store compares it. */
  readonly token: bigint;
  /** Aborted when the leadership has ended, the call was called off, or the attempt takes too long. */
  readonly signal: AbortSignal;
  /** Throws if the leadership has ended at this moment. */
  readonly assert: () => void;
  /** 1 for the first attempt. A higher one says that the work has begun before. */
  readonly attempt: number;
  /** The occasion of this series that ended last. */
  readonly previous: Run | null;
  /** How long the leadership lasts without a renewal, from now. */
  readonly expiresInMs: number;
  /** The same after the signal was aborted: what is left to stop in order. */
  readonly heldForMs: number;
}

/** The same with the option `transaction`. */
export interface TransactionContext extends OnceContext {
  /** A transaction of the store, in which the occasion is recorded as done too. */
  readonly transaction: Transaction;
}

/** Options that give the work a transaction. */
export interface InTransaction {
  readonly transaction: true | { readonly idleMs?: number };
}

export type OnceWork<T, Context extends OnceContext = OnceContext> = (context: Context) => T | PromiseLike<T>;

/** All options, with their defaults. */
export interface OnceSettings extends Wish {
  readonly signal: AbortSignal | undefined;
  readonly backOffMs: number;
  readonly maxRunMs: number;
  readonly drainMs: number;
  /** Null: without a transaction. */
  readonly idleMs: number | null;
  /** Asked before an attempt begins, with what is recorded at that moment. False: the call rejects with `NotDue`. */
  readonly isDue?: (series: Series) => boolean;
}

/** An earlier occasion of a schedule has to be run first. */
export class NotDue extends Error {}

const LONGEST_MS = 1e11;
const ms: Shape<number> = number(0, LONGEST_MS);
const DEFAULT_ATTEMPTS = 10;
const DEFAULT_IDLE_MS = 30_000;

/** The options of `once`, so that an error can list them. */
export const ONCE_FIELDS: Readonly<Record<keyof OnceOptions, 0>> = {
  signal: 0,
  series: 0,
  misfire: 0,
  lateMs: 0,
  retries: 0,
  backOffMs: 0,
  maxAttempts: 0,
  maxRunMs: 0,
  drainMs: 0,
  transaction: 0,
};

/** Throws BadInput for an option that is not known, or cannot be. */
export function readOnceOptions(occasion: string | number | Date, options: OnceOptions): OnceSettings {
  if (typeof options !== 'object' || options === null)
    throw new BadInput('options', 'an object', show(options));
  refuseUnknown(options, ONCE_FIELDS, '');
  const { signal } = options;
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new BadInput('signal', 'an AbortSignal', show(signal));
  const read = <T>(shape: Shape<T>, name: keyof OnceOptions, usual: T): T =>
    options[name] === undefined ? usual : shape.read(options[name], name);
  const retries = read(integer(0, 1000), 'retries', 0);
  const settings: OnceSettings = {
    occasion: occasionOf(occasion),
    series: read(seriesName, 'series', MAIN_SERIES),
    misfire: read(choice('run', 'skip'), 'misfire', 'run'),
    lateMs: read(ms, 'lateMs', 60_000),
    retries,
    backOffMs: read(ms, 'backOffMs', 1000),
    maxAttempts: read(
      integer(retries + 1, 1_000_000),
      'maxAttempts',
      Math.max(DEFAULT_ATTEMPTS, retries + 1),
    ),
    maxRunMs: options.maxRunMs === Infinity ? Infinity : read(number(1, LONGEST_MS), 'maxRunMs', Infinity),
    drainMs: read(ms, 'drainMs', 0),
    idleMs: idleMsOf(options.transaction),
    signal,
  };
  if (settings.misfire === 'skip' && momentOf(settings.occasion) === null)
    throw new BadInput(
      'misfire',
      'an occasion that is a date and time beside "skip"',
      show(settings.occasion),
    );
  return settings;
}

export function checkWork(work: unknown): void {
  if (typeof work !== 'function') throw new BadInput('work', 'a function', show(work));
}

function idleMsOf(transaction: OnceOptions['transaction']): number | null {
  if (transaction === undefined || transaction === false) return null;
  if (transaction === true) return DEFAULT_IDLE_MS;
  if (typeof transaction !== 'object' || transaction === null)
    throw new BadInput('transaction', 'true, false, or { idleMs }', show(transaction));
  refuseUnknown(transaction, { idleMs: 0 }, 'transaction');
  return number(1, LONGEST_MS).read(transaction.idleMs ?? DEFAULT_IDLE_MS, 'transaction.idleMs');
}

function occasionOf(given: string | number | Date): Occasion {
  if (!(given instanceof Date)) return parseOccasion(given);
  if (Number.isNaN(given.getTime())) throw new BadInput('occasion', 'a date', 'an invalid one');
  return parseOccasion(given.toISOString());
}
