import type { Json } from '../../core/index.ts';
import { ordersIn, type Release, type Table, writeRegister } from '../../shards/index.ts';
import { onceAborted } from '../aborts.ts';
import { type Clock, settlesWithin } from '../clock.ts';
import { CaucusError, LeadershipLost } from '../errors.ts';
import type { Leadership } from '../leadership.ts';
import { isStop, resultOf } from '../work.ts';
import type { Bell } from './bell.ts';
import { OwnedShard } from './owned-shard.ts';
import type { ScheduleShard } from './shard-schedules.ts';
import type { Slot } from './slots.ts';

const AGAIN_MS = 50;

/** The work on one shard. */
export type ShardWork = (shard: OwnedShard) => unknown;

/** What all sessions of one call of `own` share. */
export interface Owning {
  readonly partition: string;
  readonly size: number;
  readonly name: string;
  readonly work: ShardWork;
  readonly schedule: ScheduleShard;
  readonly bell: Bell;
  readonly clock: Clock;
  readonly drainMs: number;
  readonly answerMs: number;
  /** Aborted when nothing more is to be owned. */
  readonly over: AbortSignal;
  /** Works that run although their shards were released or lost, by shard. */
  readonly lingering: Map<number, Promise<unknown>>;
  table(): Table | null;
  pause(ms: number, signals: readonly AbortSignal[]): Promise<void>;
  /** Ends everything with this error. */
  fail(error: unknown): void;
}

interface Run {
  readonly owned: OwnedShard;
  readonly done: Promise<unknown>;
  isStopping: boolean;
}

/**
 * One session: the leadership of a slot, and the works on the shards that the table gives to it.
 *   joining    the register says that it is there    → owning (the table knows it)
 *   owning     works start and stop with the table   → leaving (`own` is to end) | lost
 *   leaving    works stop, then the register says that the session has ended, then the slot is released
 *   lost       works stop; whatever they wrote late is refused by their tokens
 */
export class Session {
  readonly #owning: Owning;
  readonly #slot: Slot;
  readonly #leadership: Leadership;
  readonly #runs = new Map<number, Run>();
  readonly #released = new Map<number, number>();
  /** What the register should say, and what it says. */
  #wanted: Json = null;
  #said: Json = null;
  #isPublishing = false;

  constructor(owning: Owning, slot: Slot, leadership: Leadership) {
    this.#owning = owning;
    this.#slot = slot;
    this.#leadership = leadership;
  }

  get owned(): readonly OwnedShard[] {
    return [...this.#runs.values()].map(({ owned }) => owned).filter((each) => each.isValid());
  }

  /** Returns when all works have stopped, or had their time to. */
  async run(): Promise<void> {
    const { bell, over } = this.#owning;
    const { signal } = this.#leadership;
    const forget = onceAborted([signal], () => {
      const { cause, detail } = this.#leadership.lost!;
      this.#endAll(cause, detail);
      bell.ring();
    });
    try {
      this.#say([]);
      while (this.#leadership.isValid() && !over.aborted && !this.#isMisfit) {
        const changed = bell.next;
        this.#look();
        await changed;
      }
      if (this.#leadership.isValid()) await this.#leave();
      else await this.#stopped();
    } finally {
      forget();
    }
  }

  /** Does the table count other shards, so that this replica can own none? */
  get #isMisfit(): boolean {
    const { table, size } = this.#owning;
    const now = table();
    return now !== null && now.shards.length !== size && this.#runs.size === 0;
  }

  #look(): void {
    const table = this.#owning.table();
    if (table === null || table.shards.length !== this.#owning.size) return;
    const owned = new Map([...this.#runs].map(([shard, run]) => [shard, Number(run.owned.token)]));
    const { index: slot } = this.#slot;
    const session = this.#leadership.token;
    const orders = ordersIn(table, { slot, session, owned, released: this.#released });
    for (const [shard, token] of orders.release) this.#released.set(shard, token);
    for (const [shard] of orders.stop) void this.#release(shard);
    for (const [shard, token] of orders.start) this.#start(shard, token);
    this.#say([...orders.unheard, ...orders.release]);
  }

  #start(shard: number, token: number): void {
    const { work, lingering, schedule } = this.#owning;
    const owned = new OwnedShard(shard, token, this.#leadership, schedule);
    const earlier = lingering.get(shard);
    const begin = (): unknown => (owned.isValid() ? work(owned) : undefined);
    const done = resultOf(earlier === undefined ? begin : () => earlier.then(begin)).then((result) => {
      if (!result.ok && !(owned.lost !== null && isStop(result.error, owned.lost)))
        this.#owning.fail(result.error);
    });
    this.#runs.set(shard, { owned, done, isStopping: false });
  }

  /** The table asks for it: its work stops, or has had its time to, and only then it is released. */
  async #release(shard: number): Promise<void> {
    const run = this.#runs.get(shard)!;
    if (run.isStopping) return;
    run.isStopping = true;
    run.owned.end(this.#loss(shard, 'transferred', 'it moves to another replica'));
    await this.#drained(shard, run);
    run.owned.release();
    this.#runs.delete(shard);
    this.#released.set(shard, Number(run.owned.token));
    this.#owning.bell.ring();
  }

  async #drained(shard: number, { done }: Run): Promise<boolean> {
    const { clock, drainMs, lingering } = this.#owning;
    if (await settlesWithin(clock, done, drainMs)) return true;
    lingering.set(shard, done);
    void done.then(() => lingering.get(shard) === done && lingering.delete(shard));
    return false;
  }

  #loss(shard: number, cause: LeadershipLost['cause'], detail: string): LeadershipLost {
    return new LeadershipLost(`shard ${shard} of ${this.#owning.partition}`, cause, detail);
  }

  #endAll(cause: LeadershipLost['cause'], detail: string): void {
    for (const [shard, { owned }] of this.#runs) owned.end(this.#loss(shard, cause, detail));
  }

  /** In order: works stop, the register says that the session is over, and then its slot is released. */
  async #leave(): Promise<void> {
    const { clock, answerMs, bell, name: _, size } = this.#owning;
    this.#endAll('resigned', 'its replica releases all that it owns');
    const runs = [...this.#runs];
    await Promise.all(runs.map(([shard, run]) => this.#drained(shard, run)));
    for (const [, { owned }] of runs) owned.release();
    this.#wanted = writeRegister({ token: this.#leadership.token, name: null, size, released: [] });
    void this.#publish();
    const said = (async () => {
      while (this.#said !== this.#wanted && this.#leadership.isValid()) await bell.next;
    })();
    // If it cannot be said, the coordinator finds the slot without a leader.
    await settlesWithin(clock, said, answerMs);
  }

  /** The session was lost: no other one begins beside its works, unless all is to end. */
  async #stopped(): Promise<void> {
    const { over } = this.#owning;
    const runs = [...this.#runs];
    for (const [, { owned }] of runs) owned.release();
    const all = Promise.all(runs.map(([, { done }]) => done));
    let forget = (): void => {};
    const calledOff = new Promise<void>((resolve) => {
      forget = onceAborted([over], () => resolve());
    });
    await Promise.race([all, calledOff]);
    forget();
    await Promise.all(runs.map(([shard, run]) => this.#drained(shard, run)));
  }

  /** Publishes the register, if it says something else. */
  #say(released: readonly Release[]): void {
    const { name, size } = this.#owning;
    const { token } = this.#leadership;
    const wanted = writeRegister({ token, name, size, released });
    if (!isEqual(wanted, this.#wanted)) this.#wanted = wanted;
    // A late publication of this session may have replaced a later one.
    else if (this.#said === this.#wanted && !isEqual(this.#slot.election.value, this.#wanted))
      this.#said = null;
    void this.#publish();
  }

  /** All that a register says stays true, so a publication whose outcome is unknown is simply repeated. */
  async #publish(): Promise<void> {
    if (this.#isPublishing || this.#said === this.#wanted) return;
    this.#isPublishing = true;
    const { bell, pause, fail } = this.#owning;
    while (this.#said !== this.#wanted && this.#leadership.isValid()) {
      const value = this.#wanted;
      try {
        await this.#slot.election.record(this.#leadership, value);
        this.#said = value;
      } catch (error) {
        if (!(error instanceof CaucusError) || error.code === 'E_UNSUPPORTED') {
          fail(error);
          break;
        }
        await pause(AGAIN_MS, [this.#leadership.signal]);
      }
    }
    this.#isPublishing = false;
    bell.ring();
  }
}

function isEqual(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
