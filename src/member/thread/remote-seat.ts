import type { Json } from '../../core/index.ts';
import {
  CaucusError,
  type Held,
  type Seat,
  type SleepWatch,
  type Standing,
  type Why,
} from '../../election/index.ts';
import type { Line } from './line.ts';
import { fromShared, type MemberSide, NS_PER_MS, type ToldStanding } from './sides.ts';

/** A leadership that a member in another thread holds for this one. */
class RemoteHeld implements Held {
  readonly token: bigint;
  readonly key: number;
  readonly #end: BigInt64Array;
  readonly #sleep: SleepWatch;
  readonly #sleeps: number;

  constructor({ token, key, end }: NonNullable<ToldStanding['held']>, sleep: SleepWatch) {
    this.token = token;
    this.key = key;
    this.#end = new BigInt64Array(end);
    this.#sleep = sleep;
    this.#sleeps = sleep.look();
  }

  /** Read from memory that both threads share: true also in a thread that was stalled, and has heard nothing yet. */
  get expiresAtMs(): number {
    // After a sleep of the machine this thread may run first.
    if (this.#sleep.look() !== this.#sleeps) return 0;
    return fromShared(Number(Atomics.load(this.#end, 0)) / NS_PER_MS);
  }
}

/** The main thread's place in an election of a member that runs in another thread. */
export class RemoteSeat implements Seat {
  readonly election: string;
  readonly name: string;
  isClosed = false;
  standing: Standing = {
    leader: null,
    isKnown: false,
    token: null,
    held: null,
    value: null,
    version: 0,
    cause: 'started',
    detail: 'no leader is known yet',
  };
  readonly #line: Line<MemberSide>;
  readonly #sleep: SleepWatch;
  readonly #listeners = new Set<(standing: Standing) => void>();
  #held: RemoteHeld | null = null;

  constructor(election: string, name: string, line: Line<MemberSide>, sleep: SleepWatch) {
    this.election = election;
    this.name = name;
    this.#line = line;
    this.#sleep = sleep;
    line.tell('open', election);
  }

  onTold({ held, ...told }: ToldStanding): void {
    if (held === null) this.#held = null;
    else if (held.key !== this.#held?.key) this.#held = new RemoteHeld(held, this.#sleep);
    this.#show({ ...told, held: this.#held });
  }

  /** The thread of the member is gone. */
  onGone(detail: string): void {
    this.#held = null;
    this.#show({ ...this.standing, leader: null, token: null, held: null, cause: 'closed', detail });
  }

  watch(listener: (standing: Standing) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stand(): void {
    if (this.isClosed) throw new CaucusError('E_CLOSED', `the election ${this.election} was closed`);
    this.#line.tell('stand', this.election);
  }

  withdraw(why?: Why): Promise<void> {
    return this.#line.call('withdraw', this.election, plainWhy(why));
  }

  resign(why?: Why): Promise<void> {
    return this.#line.call('resign', this.election, this.#held?.key ?? null, plainWhy(why));
  }

  /** Only the thread of the member knows. */
  refuseTransfer(): null {
    return null;
  }

  transfer(to: string): Promise<void> {
    return this.#line.call('transfer', this.election, to);
  }

  publish(value: Json): Promise<number> {
    return this.#line.call('publish', this.election, value);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.#line.call('leave', this.election);
    this.#listeners.clear();
  }

  #show(standing: Standing): void {
    this.standing = standing;
    for (const listener of [...this.#listeners]) listener(standing);
  }
}

/** A `LeadershipLost` says why too, but an error loses its fields on the way to another thread. */
function plainWhy(why: Why | undefined): Why | undefined {
  return why === undefined ? undefined : { cause: why.cause, detail: why.detail };
}
