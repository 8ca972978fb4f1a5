import { BadInput, show } from '../../core/index.ts';
import {
  CaucusError,
  type Clock,
  type Engine,
  inventName,
  processClock,
  type Seat,
  SleepWatch,
} from '../../election/index.ts';
import { LeaseSeat } from './lease-seat.ts';
import type { Grant, LeaseStore } from './lease-store.ts';
import type { LeaseOptions, LeaseTimes } from './settings.ts';

/** What every engine that holds leases can be told. */
export interface LeaseEngineOptions extends LeaseOptions {
  /** What the others call us: the host name and a random suffix unless said otherwise. Every process needs its own. */
  readonly name?: string;
  /** Virtual time, for tests. */
  readonly clock?: Clock;
}

/** What is different about a store. */
export interface StoreKind<G extends Grant> {
  /** What people call it: "etcd". */
  readonly storeName: string;
  readonly times: LeaseTimes;
  /** Throws BadInput for a name that this store cannot hold. */
  checkName(election: string): void;
  open(election: string, name: string): LeaseStore<G>;
  /** Lets go of connections, once all seats are closed. */
  close(): Promise<void>;
}

/** An engine that somebody has opened and has to close. */
export interface OpenEngine extends Engine {
  /** What the others call us. */
  readonly name: string;
  close(): Promise<void>;
}

/** Elections on a store. All of them share what connects us to it. */
export class LeaseEngine<G extends Grant = Grant> implements OpenEngine {
  readonly name: string;
  readonly #kind: StoreKind<G>;
  readonly #clock: Clock;
  readonly #sleep: SleepWatch;
  readonly #seats = new Map<string, LeaseSeat<G>>();
  #closing: Promise<void> | null = null;

  constructor(kind: StoreKind<G>, { name = inventName(), clock = processClock }: LeaseEngineOptions) {
    if (!/^[\x21-\x7e]{1,200}$/.test(name)) {
      throw new BadInput('name', '1 to 200 visible characters without spaces', show(name));
    }
    this.name = name;
    this.#kind = kind;
    this.#clock = clock;
    this.#sleep = clock === processClock ? new SleepWatch() : new SleepWatch(clock.now, clock.now);
  }

  seat(election: string): Seat {
    if (this.#closing !== null)
      throw new CaucusError('E_CLOSED', `the engine ${this.#kind.storeName} was closed`);
    const found = this.#seats.get(election);
    if (found !== undefined && !found.isClosed) return found;
    this.#kind.checkName(election);
    const { storeName, times } = this.#kind;
    const seat = new LeaseSeat(election, this.name, this.#kind.open(election, this.name), {
      storeName,
      times,
      clock: this.#clock,
      sleep: this.#sleep,
      random: Math.random,
    });
    this.#seats.set(election, seat);
    return seat;
  }

  /** Gives up everything that is held, and lets go of the store. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#seats.values()].map((seat) => seat.close()));
    await this.#kind.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
