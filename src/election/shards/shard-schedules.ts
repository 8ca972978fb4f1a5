/** Schedules of shards: each fire time once for each shard, by its owner. */
import { type Series, seriesName } from '../../once/index.ts';
import { SHARDS_PER_ELECTION } from '../../shards/index.ts';
import { type Ending, onceAborted } from '../aborts.ts';
import { type Clock, wallOf } from '../clock.ts';
import type { Election } from '../election.ts';
import type { OnceOutcome } from '../once/once.ts';
import { checkWork, type OnceContext, type OnceOptions, readOnceOptions } from '../once/options.ts';
import { Schedule, type ScheduleOptions } from '../once/schedule.ts';
import { Turns } from '../once/turns.ts';
import type { OwnedShard } from './owned-shard.ts';
import { refuseTransaction, ShardOnce, type ShardOnceAround } from './shard-once.ts';

/** The options of a schedule of a shard: those of an election's, without a transaction. */
export type ShardScheduleOptions = Omit<ScheduleOptions, 'transaction'>;

/** What the work of a schedule gets for one occasion of one shard. Its token is that of the shard. */
export interface ShardOccasion extends OnceContext {
  /** The number of the shard, from 0. */
  readonly shard: number;
}

export type ShardScheduleWork = (context: ShardOccasion) => unknown;

/** The owner of a shard runs the schedule until the shard is lost, or the option `signal` is aborted. */
export type ScheduleShard = (
  owned: OwnedShard,
  line: string,
  work: ShardScheduleWork,
  options?: ShardScheduleOptions,
) => Promise<void>;

interface Around {
  readonly clock: Clock;
  /** Opens the n-th election in which occasions are recorded. */
  open(index: number): Election;
  tell(message: string): void;
}

/** What the schedules of one replica share. */
export class ShardSchedules {
  readonly #around: Around;
  readonly #elections = new Map<number, Election>();
  /** By shard: what its schedules share while this replica owns it. */
  readonly #shards = new WeakMap<OwnedShard, ShardOccasions>();
  /** Fire times of shards of which nothing is recorded count from here, by the wall clock. */
  #startedMs: number;

  constructor(around: Around) {
    this.#around = around;
    this.#startedMs = wallOf(around.clock);
  }

  /** All elections that were opened. */
  get elections(): readonly Election[] {
    return [...this.#elections.values()];
  }

  /** This replica begins to take part. */
  begin(): void {
    this.#startedMs = wallOf(this.#around.clock);
  }

  /** Throws BadInput, before anything is owned. */
  async check(line: string, work: unknown, options: ShardScheduleOptions): Promise<void> {
    checkWork(work);
    refuseTransaction(readOnceOptions(0, { transaction: (options as ScheduleOptions).transaction ?? false }));
    await Schedule.open({ ...this.#around, occasions: NONE }, line, options);
  }

  readonly run: ScheduleShard = async (owned, line, work, options = {}) => {
    checkWork(work);
    const { signal, series, ...rest } = options;
    const stop = new AbortController();
    const forget = onceAborted([owned.signal, signal], (reason) => stop.abort(reason));
    const occasions = this.#of(owned);
    const { clock } = this.#around;
    const around = { clock, tell: occasions.tell, occasions, startedMs: this.#startedMs };
    const name = series === undefined ? `shard-${owned.shard}` : `shard-${owned.shard}.${series}`;
    const settings = { ...rest, series: seriesName.read(name, 'series'), signal: stop.signal };
    try {
      const schedule = await Schedule.open(around, line, settings);
      await schedule.run((context) => work(withShard(context, owned.shard)));
      await occasions.stopped; // The shard is released only when its works have stopped.
    } finally {
      forget();
    }
  };

  #of(owned: OwnedShard): ShardOccasions {
    const found = this.#shards.get(owned);
    if (found !== undefined) return found;
    const index = Math.floor(owned.shard / SHARDS_PER_ELECTION);
    const election = this.#elections.get(index) ?? this.#around.open(index);
    this.#elections.set(index, election);
    const occasions = new ShardOccasions(owned, election, this.#around.tell);
    this.#shards.set(owned, occasions);
    return occasions;
  }
}

/** The occasions of one shard, for its schedules. */
class ShardOccasions {
  readonly scheduled: Map<string, number> = new Map();
  readonly tell: (message: string) => void;
  readonly #around: ShardOnceAround;
  readonly #turns = new Turns();

  constructor(owned: OwnedShard, { occasions, self }: Election, tell: (message: string) => void) {
    this.tell = (message) => tell(`shard ${owned.shard}: ${message}`);
    this.#around = { owned, records: occasions, self, left: null, tell: this.tell };
  }

  get closed(): Ending {
    return this.#around.records.closed;
  }

  /** Settles when no work goes on that ignored its signal. */
  get stopped(): Promise<unknown> {
    return Promise.resolve(this.#around.left);
  }

  seriesOf(name: string): Series {
    return this.#around.records.seriesOf(name);
  }

  async once<T>(
    occasion: string | number | Date,
    work: (context: never) => T | PromiseLike<T>,
    options: OnceOptions,
    isDue?: (series: Series) => boolean,
  ): Promise<OnceOutcome<T>> {
    const settings = { ...readOnceOptions(occasion, options), ...(isDue === undefined ? {} : { isDue }) };
    const call = new ShardOnce(this.#around, settings, work as (context: OnceContext) => T);
    const { series, signal } = settings;
    return (await this.#turns.take(series, [signal, this.closed], () => call.run())) as OnceOutcome<T>;
  }
}

/** For a check of the options, which asks for none. */
const NONE = null as never;

/** The context has getters, which look at the clock, so it is not copied. */
function withShard(context: OnceContext, shard: number): ShardOccasion {
  return Object.defineProperty(context, 'shard', { value: shard, enumerable: true }) as ShardOccasion;
}
