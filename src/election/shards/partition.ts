import { BadInput, show } from '../../core/values.ts';
import { readTable, recordElection, slotFor, type Table } from '../../shards/index.ts';
import { type Cancellable, onceAborted } from '../aborts.ts';
import { deferred } from '../deferred.ts';
import { Election } from '../election.ts';
import type { Engine } from '../engine.ts';
import { CaucusError } from '../errors.ts';
import { Feed } from '../feed.ts';
import { warnOfProcess } from '../log-entry.ts';
import { problemOf } from '../work.ts';
import { Bell } from './bell.ts';
import { Coordinator } from './coordinator.ts';
import { ownersIn, type PartitionObservation, type ShardOwner } from './observation.ts';
import { type PartitionOptions, partitionOptions } from './partition-options.ts';
import { type Owning, Session, type ShardWork } from './session.ts';
import { type ShardScheduleOptions, ShardSchedules, type ShardScheduleWork } from './shard-schedules.ts';
import { Slot, Slots } from './slots.ts';

const AGAIN_MS = 200;

/**
 * A number of shards, each owned by exactly one of all replicas that call `own`. They are spread evenly, within one, and
 * move only if they have to.
 *
 * One election names the coordinator, which publishes a table of owners. Each replica leads the election of a slot of its
 * own: that is its session, whose lease bounds all that it does. A shard gets another owner only after its owner has
 * released it, or after the session of its owner has ended.
 */
export class Partition {
  readonly name: string;
  /** How many shards there are. */
  readonly shards: number;
  readonly #engine: Engine;
  readonly #options: Required<Omit<PartitionOptions, 'shards'>>;
  readonly #main: Election;
  readonly #slots: Slots;
  readonly #schedules: ShardSchedules;
  readonly #bell = new Bell();
  readonly #feed: Feed<PartitionObservation>;
  readonly #closed = new AbortController();
  readonly #tell: (problem: string) => void;
  #table: Table | null = null;
  #session: Session | null = null;
  #owning: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;

  constructor(name: string, engine: Engine, options: PartitionOptions) {
    const { shards, ...rest } = partitionOptions(name, options);
    const { clock } = rest;
    this.name = name;
    this.shards = shards;
    this.#engine = engine;
    this.#options = rest;
    const log = engine.log ?? warnOfProcess;
    this.#tell = (problem) => log({ level: 'warning', message: `partition ${name}: ${problem}` });
    this.#main = this.#open(`${name}.shards`);
    this.#slots = new Slots((index) => new Slot(index, this.#open(`${name}.shards.${index}`), this.#bell));
    const openRecords = (index: number): Election => this.#open(recordElection(name, index));
    this.#schedules = new ShardSchedules({ clock, open: openRecords, tell: this.#tell });
    this.#feed = new Feed(this.#look());
    void this.#follow();
  }

  #open(election: string): Election {
    const { drainMs, answerMs, clock } = this.#options;
    return new Election(election, this.#engine, { drainMs, answerMs, clock });
  }

  /** Our own name. */
  get self(): string {
    return this.#main.self;
  }

  /**
   * Takes part: runs the work for each shard that this replica gets, with its number and its token, until the shard moves
   * or is lost. Then the signal of that work is aborted, and the shard is released when the work has stopped. Work that
   * returns earlier is not called again for this token; the shard stays ours. Work that throws ends everything, and this promise rejects with its
   * error. Aborting `signal` stops all works, releases all shards, and this promise resolves.
   */
  async own(work: ShardWork, { signal }: Cancellable = {}): Promise<void> {
    if (typeof work !== 'function') throw new BadInput('work', 'a function', show(work));
    if (signal !== undefined && !(signal instanceof AbortSignal))
      throw new BadInput('signal', 'an AbortSignal', show(signal));
    if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
    if (this.#owning !== null)
      throw new CaucusError('E_REFUSED', `own() of the partition ${this.name} is already running here`);
    this.#schedules.begin();
    const owning = this.#own(work, signal);
    this.#owning = owning.catch(() => {});
    try {
      await owning;
    } finally {
      this.#owning = null;
    }
  }

  /**
   * Takes part, and does the work once at each fire time of a cron line for each shard: `schedule` of every shard that
   * this replica gets. When `signal` is aborted, works that run have `drainMs` to end; then all shards are released.
   */
  async schedule(line: string, work: ShardScheduleWork, options: ShardScheduleOptions = {}): Promise<void> {
    await this.#schedules.check(line, work, options);
    const running = new Set<Promise<void>>();
    const over = new AbortController();
    const forget = onceAborted([options.signal], () => {
      void Promise.allSettled(running).then(() => over.abort());
    });
    const ownedWork: ShardWork = async (shard) => {
      const run = shard.schedule(line, work, options);
      running.add(run);
      await run.finally(() => running.delete(run));
    };
    try {
      await this.own(ownedWork, { signal: over.signal });
    } finally {
      forget();
    }
  }

  async #own(work: ShardWork, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    let failure: { readonly error: unknown } | null = null;
    const forget = onceAborted([signal, this.#closed.signal], () => {
      over.abort();
      this.#bell.ring();
    });
    const fail = (error: unknown): void => {
      failure ??= { error };
      over.abort();
      this.#bell.ring();
    };
    const lingering = new Map<number, Promise<unknown>>();
    const { clock, drainMs, answerMs } = this.#options;
    const owning: Owning = {
      partition: this.name,
      size: this.shards,
      name: this.self,
      work,
      schedule: this.#schedules.run,
      bell: this.#bell,
      clock,
      drainMs,
      answerMs,
      over: over.signal,
      lingering,
      table: () => this.#table,
      pause: this.#pause,
      fail,
    };
    const coordinating = this.#coordinate(over.signal).catch(fail);
    try {
      while (!over.signal.aborted) await this.#oneSession(owning);
    } catch (error) {
      fail(error);
    }
    await coordinating;
    forget();
    if (failure !== null) throw (failure as { readonly error: unknown }).error;
    if (lingering.size > 0) {
      const which = [...lingering.keys()].sort((a, b) => a - b).join(', ');
      const message = `the work on shard ${which} is still running although it was released: it ignored its signal`;
      throw new CaucusError('E_WORK_NOT_STOPPED', message, { outcome: 'indefinite' });
    }
    if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
  }

  async #coordinate(over: AbortSignal): Promise<void> {
    const around = {
      main: this.#main,
      slots: this.#slots,
      bell: this.#bell,
      size: this.shards,
      settleMs: this.#options.settleMs,
      pause: this.#pause,
      tell: this.#tell,
    };
    while (!over.aborted) {
      await this.#main.lead((leadership) => new Coordinator(around, leadership).run(), { signal: over });
      await this.#pause(AGAIN_MS, [over]);
    }
  }

  /** Takes a slot that is free, and owns what the table gives to it, until that session has ended. */
  async #oneSession(owning: Owning): Promise<void> {
    const { over, bell } = owning;
    await this.#fits(over);
    for (let n = 0; !over.aborted; n++) {
      const slot = this.#slots.at(slotFor(this.self, n));
      while (!slot.isKnown && !over.aborted) await bell.next;
      if (slot.isTaken || over.aborted) continue;
      if (await this.#inSlot(slot, owning)) return;
    }
  }

  /** False if another replica took the slot. */
  async #inSlot(slot: Slot, owning: Owning): Promise<boolean> {
    const { over, bell } = owning;
    const attempt = new AbortController();
    let hasBegun = false;
    const watched = (async () => {
      while (!hasBegun && !attempt.signal.aborted) {
        const changed = bell.next;
        if (slot.isTaken || over.aborted) attempt.abort();
        else await changed;
      }
    })();
    try {
      await slot.election.lead(
        async (leadership) => {
          hasBegun = true;
          this.#session = new Session(owning, slot, leadership);
          try {
            await this.#session.run();
          } finally {
            this.#session = null;
            // After a loss another slot may be the first that is free.
            attempt.abort();
          }
        },
        { signal: attempt.signal },
      );
    } finally {
      attempt.abort();
      bell.ring();
      await watched;
    }
    return hasBegun;
  }

  /** Waits while replicas live that count other shards. */
  async #fits(over: AbortSignal): Promise<void> {
    let isTold = false;
    for (;;) {
      const changed = this.#bell.next;
      const count = this.#table?.shards.length ?? this.shards;
      if (count === this.shards || over.aborted) return;
      const others = this.#feed.latest.replicas.filter(({ name }) => name !== this.self);
      if (!isTold && others.length > 0) {
        isTold = true;
        const names = others.map(({ name }) => name).join(', ');
        this.#tell(
          `it has ${count} shards on ${names}, and ${this.self} was given ${this.shards}: waiting until ${others.length === 1 ? 'that replica has' : 'those replicas have'} ended`,
        );
      }
      await changed;
    }
  }

  /** The shards that we own and may act on at this moment. */
  get owned(): readonly number[] {
    return (this.#session?.owned ?? []).map(({ shard }) => shard).sort((a, b) => a - b);
  }

  /** The owner of a shard, as far as we know; null if it has none. We name ourselves only while we may act. */
  owner(shard: number): ShardOwner | null {
    if (!Number.isSafeInteger(shard) || shard < 0 || shard >= this.shards)
      throw new BadInput('shard', `a whole number from 0 to ${this.shards - 1}`, show(shard));
    const owner = this.#feed.latest.owners[shard] ?? null;
    if (owner?.name !== this.self) return owner;
    const mine = this.#session?.owned.find((each) => each.shard === shard);
    return mine?.token === owner.token ? owner : null;
  }

  /**
   * Who owns which shard now, and after every change. A slow reader gets only the newest. Ends when the signal is aborted
   * or the partition is closed.
   */
  observe({ signal }: Cancellable = {}): AsyncIterableIterator<PartitionObservation> {
    return this.#feed.read(signal);
  }

  /** Was it closed, by `close` or with its engine? */
  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Stops all works, releases all shards and leaves. `own` rejects with `E_CLOSED`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#end();
    await this.#owning;
    const slots = this.#slots.all.map(({ election }) => election);
    const elections = [this.#main, ...slots, ...this.#schedules.elections];
    const closed = await Promise.allSettled(elections.map((each) => each.close()));
    this.#feed.close();
    const failed = closed.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #follow(): Promise<void> {
    // Rules hold for old tables too, so any other version will do: a store that was wiped counts anew.
    let version = 0;
    let problem = '';
    for await (const seen of this.#main.observe()) {
      if (seen.version !== version) {
        version = seen.version;
        try {
          this.#table = readTable(seen.value, 'the published value');
        } catch (error) {
          if (problemOf(error) !== problem) this.#tell(problemOf(error));
          problem = problemOf(error);
        }
      }
      this.#feed.set(this.#look());
      this.#bell.ring();
    }
    this.#end(); // With its engine, perhaps.
    this.#feed.close();
  }

  #end(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new CaucusError('E_CLOSED', `the partition ${this.name} was closed`));
    this.#bell.ring();
  }

  #look(): PartitionObservation {
    const { isKnown } = this.#main;
    const coordinator = this.#main.leader()?.name ?? null;
    return { isKnown, coordinator, ...ownersIn(this.#table, this.shards) };
  }

  readonly #pause = async (ms: number, signals: readonly AbortSignal[]): Promise<void> => {
    const over = deferred();
    const stop = this.#options.clock.after(ms, () => over.resolve());
    const forget = onceAborted(signals, () => over.resolve());
    await over.promise;
    stop();
    forget();
  };
}
