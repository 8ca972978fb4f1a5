/**
 * The rest of one election (core/resting.ts): while it rests it has no timers, and its lease is that of the support
 * between processes (src/support). Before anything else happens to it, it wakes.
 */
import type { Effect, MemberId, Protocol, Rested, RestRequest } from '../core/index.ts';
import type { Lease } from './hold.ts';
import type { HostPorts } from './ports.ts';
import type { Timer, Timers } from './timers.ts';

/** What an election rests on. */
export interface Rest {
  /** The lease of a leader, now; null for a follower. */
  readonly lease: Lease | null;
  /** Ends the rest, and tells what happened meanwhile. */
  end(): Rested;
}

/** What the rest of an election needs from its host. */
interface RestingHost {
  /** Is nothing on its way that an election at rest would have to wait for? */
  readonly isQuiet: boolean;
  /** Does this process hold a leadership whose lease has not ended? */
  readonly acting: boolean;
  /** Wakes the election, and runs the timers that are due then. */
  wake(): void;
  /** What an election at rest does not need is released. */
  forget(): void;
}

export class Resting {
  readonly #protocol: Protocol;
  readonly #state: unknown;
  readonly #timers: Timers;
  readonly #host: RestingHost;
  readonly #ports: Pick<HostPorts, 'mayRest'>;
  #rest: Rest | null = null;
  /** It woke, and has not sent a heartbeat of its own since: a voter may need one before it can rest. */
  #isRoused = false;

  constructor(
    protocol: Protocol,
    state: unknown,
    timers: Timers,
    host: RestingHost,
    ports: Pick<HostPorts, 'mayRest'>,
  ) {
    this.#protocol = protocol;
    this.#state = state;
    this.#timers = timers;
    this.#host = host;
    this.#ports = ports;
  }

  get isOn(): boolean {
    return this.#rest !== null;
  }

  /** The lease of a leader that rests; null if it does not rest. */
  get lease(): Lease | null {
    return this.#rest?.lease ?? null;
  }

  /** A timer of the election, such as the one that bounds its lease; undefined if it does not run. */
  timer(name: string): Readonly<Timer> | undefined {
    return this.#timers.get(name);
  }

  /** May this follower rest on the support that its process gives to that leader? */
  accepts(request: RestRequest): boolean {
    if (this.isOn || !this.#host.isQuiet) return false;
    return this.#protocol.resting?.accepts(this.#state, request) === true;
  }

  /** The newest round that carries a lease while this leader rests. */
  carried(round: number, answeredBy: (voter: MemberId) => number): number {
    return this.#protocol.resting!.carried(this.#state, round, answeredBy);
  }

  begin(rest: Rest): void {
    this.#rest = rest;
    this.#timers.clear();
    this.#host.forget();
  }

  wake(): void {
    this.#host.wake();
  }

  /** A timer is due. Does the election rest from now on instead? */
  beginsAt(timer: string): boolean {
    const { resting } = this.#protocol;
    if (resting?.timer !== timer || this.#ports.mayRest === undefined || !this.#host.isQuiet) return false;
    const isRoused = this.#isRoused;
    this.#isRoused = false;
    // A lease that expired is not renewed, but its leadership ends first (hold.ts).
    if (isRoused || !this.#host.acting) return false;
    const offer = resting.offer(this.#state);
    return offer !== null && this.#ports.mayRest(offer);
  }

  /** Ends the rest: the state becomes what messages and timers of its own would have made of it. */
  end(): readonly Effect[] {
    const effects: Effect[] = [];
    const rested = this.#rest!.end();
    this.#rest = null;
    this.#isRoused = true;
    for (const { timer, delayMs, sinceMs } of this.#protocol.resting!.wake(this.#state, rested, effects)) {
      if (sinceMs === null) this.#timers.set(timer, delayMs);
      else this.#timers.resume(timer, delayMs, sinceMs);
    }
    return effects;
  }

  /** The process ends. */
  stop(): void {
    this.#rest?.end();
    this.#rest = null;
  }
}
