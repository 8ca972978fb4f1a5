import { BadInput, show } from '../../core/index.ts';
import {
  CaucusError,
  type Clock,
  type Election,
  type Engine,
  inventName,
  type LogEntry,
  Partition,
  type PartitionOptions,
  processClock,
  type Seat,
  SleepWatch,
} from '../../election/index.ts';
import { LeaseSeat } from './lease-seat.ts';
import type { Grant, LeaseStore } from './lease-store.ts';
import type { LeaseOptions, LeaseTimes } from './settings.ts';

/** The options of every engine. */
export interface LeaseEngineOptions extends LeaseOptions {
  /**
   * Our name, as other participants see it (default: the host name and a random suffix). Every process needs its own.
   */
  readonly name?: string;
  /** Virtual time, for tests. */
  readonly clock?: Clock;
  /** Gets the log lines about the store and its elections. By default, warnings go to `process.emitWarning`. */
  readonly log?: (entry: LogEntry) => void;
}

/** What differs between stores. */
export interface StoreKind<G extends Grant> {
  /** Its name for people: "etcd". */
  readonly storeName: string;
  readonly times: LeaseTimes;
  /**
   * Each election renews with a request of its own: those of many elections are spread over time. Left out where a
   * renewal is shared.
   */
  readonly spreadsRenewals?: boolean;
  /** Throws BadInput for a name that this store cannot hold. */
  checkName(election: string): void;
  /** Loads the libraries that it needs. Rejects with E_UNSUPPORTED if one is not installed. */
  load?(): Promise<void>;
  open(election: string, name: string): LeaseStore<G>;
  /** Closes the connections, once all seats are closed. */
  close(): Promise<void>;
}

/** An engine that the program has opened and has to close. */
export interface OpenEngine extends Engine {
  /** Our name, as other participants see it. */
  readonly name: string;
  /** Shards, each owned by one of all participants that take part. */
  partition(name: string, options: PartitionOptions): Partition;
  /** Releases all leaderships, and closes everything that keeps the process alive. */
  close(): Promise<void>;
  /** The same at the end of a block, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Elections on a store. They share the connections to it. */
export class LeaseEngine<G extends Grant = Grant> implements OpenEngine {
  readonly name: string;
  /** @internal Where its elections tell of failed health checks and preparations. */
  readonly log: ((entry: LogEntry) => void) | undefined;
  readonly #kind: StoreKind<G>;
  readonly #clock: Clock;
  readonly #sleep: SleepWatch;
  /**
   * Each seat belongs to the caller that opened it, until it is closed: two callers that both believe that they hold
   * the leadership would both act.
   */
  readonly #seats = new Map<string, LeaseSeat<G>>();
  readonly #elections = new Map<string, Election>();
  #closing: Promise<void> | null = null;

  constructor(kind: StoreKind<G>, { name = inventName(), clock = processClock, log }: LeaseEngineOptions) {
    if (typeof name !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(name))
      throw new BadInput('name', '1 to 200 visible characters without spaces', show(name));
    if (typeof clock?.now !== 'function' || typeof clock.after !== 'function')
      throw new BadInput('clock', 'an object with now() and after()', show(clock));
    if (log !== undefined && typeof log !== 'function') throw new BadInput('log', 'a function', show(log));
    this.name = name;
    this.log = log;
    this.#kind = kind;
    this.#clock = clock;
    const now = (): number => clock.now();
    this.#sleep = clock === processClock ? new SleepWatch() : new SleepWatch(now, now, null);
  }

  seat(election: string): Seat {
    if (this.#closing !== null)
      throw new CaucusError('E_CLOSED', `the engine ${this.#kind.storeName} was closed`);
    if (this.#seats.has(election)) {
      const remedy = 'use that one, or close it first and wait until it is closed';
      throw new CaucusError(
        'E_REFUSED',
        `the election ${election} is already open on this engine: ${remedy}`,
      );
    }
    this.#kind.checkName(election);
    const { storeName, times, spreadsRenewals = false } = this.#kind;
    const seat = new LeaseSeat(election, this.name, this.#kind.open(election, this.name), {
      storeName,
      times,
      spreadsRenewals,
      clock: this.#clock,
      sleep: this.#sleep,
      random: Math.random,
      onClosed: () => {
        this.#seats.delete(election);
        this.#elections.delete(election);
      },
    });
    this.#seats.set(election, seat);
    return seat;
  }

  partition(name: string, options: PartitionOptions): Partition {
    return new Partition(name, this, { clock: this.#clock, ...options });
  }

  /**
   * @internal Registers an election: its waiting callers are told when this engine is closed.
   */
  opened(election: Election): void {
    this.#elections.set(election.name, election);
  }

  /** Rejects if a library is not installed: then no retry helps. */
  async load(): Promise<void> {
    await this.#kind.load?.();
  }

  /** Releases all leaderships, and closes the connections to the store. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // An election that fails to close must not keep the store open.
    await Promise.allSettled([...this.#elections.values()].map((election) => election.leave()));
    await Promise.all([...this.#seats.values()].map((seat) => seat.close()));
    await this.#kind.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
