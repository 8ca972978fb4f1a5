/** Schedules of shards in virtual time: each fire time once for each shard, also across changes of owners. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Clock,
  Election,
  fireTimes,
  Partition,
  type ShardOccasion,
  type ShardScheduleOptions,
} from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { VirtualClock } from '../once/virtual-clock.ts';

const MINUTE_MS = 60_000;
const SHARDS = 4;

/** A clock of a process whose timers stop, as those of one that is stalled. When it goes on, those that were due fire. */
class StallingClock implements Clock {
  readonly #clock: VirtualClock;
  #isStalled = false;
  #late: Set<() => void> = new Set();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  stall(): void {
    this.#isStalled = true;
  }

  resume(): void {
    this.#isStalled = false;
    const late = this.#late;
    this.#late = new Set();
    for (const wake of late) wake();
  }

  now = (): number => this.#clock.now();
  wall = (): number => this.#clock.wall();
  after = (delayMs: number, wake: () => void): (() => void) => {
    const fire = (): void => wake();
    const cancel = this.#clock.after(delayMs, () => {
      if (this.#isStalled) this.#late.add(fire);
      else wake();
    });
    return () => {
      cancel();
      this.#late.delete(fire);
    };
  };
}

interface Done {
  readonly shard: number;
  readonly at: string;
  readonly by: string;
  readonly token: bigint;
  readonly attempt: number;
}

interface Replica {
  readonly name: string;
  readonly clock: StallingClock;
  readonly partition: Partition;
  stop(withinMs?: number): Promise<void>;
}

class Stage {
  readonly clock = new VirtualClock('2026-11-16T02:58:30.000Z');
  readonly memory: Memory = new Memory(this.clock);
  readonly began: Done[] = [];
  readonly done: Done[] = [];
  /** What replicas have recorded as done. */
  readonly ended: { readonly shard: number; readonly at: string }[] = [];
  readonly log: string[] = [];

  start(
    name: string,
    work: (context: ShardOccasion) => unknown = () => {},
    options: ShardScheduleOptions = {},
  ): Replica {
    const clock = new StallingClock(this.clock);
    const log = ({ message }: { message: string }): void => void this.log.push(message);
    const engine = this.memory.engine({ name, clock, log });
    const partition = new Partition('orders', engine, { shards: SHARDS, clock });
    const stop = new AbortController();
    const over = partition.schedule(
      '* * * * *',
      async (context) => {
        const { shard, occasion, token, attempt } = context;
        const entry = { shard, at: String(occasion).slice(11, 16), by: name, token, attempt };
        this.began.push(entry);
        await work(context);
        context.assert();
        this.done.push(entry);
      },
      {
        ...options,
        signal: stop.signal,
        onRun: ({ outcome, occasion, run: { series } }) => {
          if (outcome === 'done')
            this.ended.push({ shard: Number(series.split('-')[1]), at: String(occasion).slice(11, 16) });
        },
      },
    );
    over.catch(() => {});
    return {
      name,
      clock,
      partition,
      stop: async (withinMs = 2000) => {
        stop.abort();
        await this.clock.advance(withinMs);
        await over;
        await partition.close();
      },
    };
  }

  /** By fire time: the shards whose work was done then. */
  get byTime(): Record<string, number[]> {
    const found: Record<string, number[]> = {};
    for (const { at, shard } of this.done) found[at] = [...(found[at] ?? []), shard];
    for (const shards of Object.values(found)) shards.sort();
    return found;
  }

  async recorded(): Promise<{ series: string; occasion: string; outcome: string; token: string }[]> {
    const engine = this.memory.engine({ name: 'reader', clock: this.clock });
    const election = new Election('orders.shards.r0', engine, { clock: this.clock });
    await this.clock.advance(10);
    const { runs } = election.runs;
    return runs.map(({ series, occasion, outcome, token }) => ({
      series,
      occasion: String(occasion).slice(11, 16),
      outcome,
      token,
    }));
  }
}

const ALL = [0, 1, 2, 3];

const minuteOf = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3));

// The package that reads cron lines is loaded when it is needed, which takes real time.
beforeAll(async () => void (await fireTimes('* * * * *', 'UTC')));

describe('a schedule of shards', () => {
  it('runs once for each shard at each fire time, on the owner of the shard and with its token', async () => {
    const stage = new Stage();
    const replicas = ['a', 'b'].map((name) => stage.start(name));
    await stage.clock.advance(3 * MINUTE_MS);
    expect(stage.byTime).toEqual({ '02:59': ALL, '03:00': ALL, '03:01': ALL });
    expect(new Set(stage.done.map(({ by }) => by))).toEqual(new Set(['a', 'b']));
    for (const { shard, by, token } of stage.done)
      expect(replicas[0]!.partition.owner(shard)).toEqual({ name: by, token });
    const recorded = await stage.recorded();
    expect(recorded).toHaveLength(12);
    expect(new Set(recorded.map(({ series, occasion }) => `${series} ${occasion}`)).size).toBe(12);
    expect(new Set(recorded.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    for (const replica of replicas) await replica.stop();
    await stage.clock.advance(3 * MINUTE_MS);
    expect(stage.done).toHaveLength(12);
  });

  it('goes on where shards move, and runs nothing twice', async () => {
    const stage = new Stage();
    const first = stage.start('a');
    await stage.clock.advance(MINUTE_MS);
    const second = stage.start('b');
    await stage.clock.advance(MINUTE_MS);
    await first.stop();
    await stage.clock.advance(MINUTE_MS);
    await second.stop();
    const third = stage.start('c');
    await stage.clock.advance(MINUTE_MS);
    expect(stage.byTime).toEqual({ '02:59': ALL, '03:00': ALL, '03:01': ALL, '03:02': ALL });
    for (const { attempt } of stage.began) expect(attempt).toBe(1);
    await third.stop();
  });

  it('is run again by the next owner, with a greater token, if its owner stalls in the middle', async () => {
    const stage = new Stage();
    const held: (() => void)[] = [];
    const stuck = stage.start('a', () => new Promise<void>((resolve) => held.push(resolve)));
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toHaveLength(4);
    const other = stage.start('b');
    stuck.clock.stall();
    await stage.clock.advance(40_000);
    expect(stage.byTime['02:59']).toEqual(ALL);
    const again = stage.done.filter(({ at }) => at === '02:59');
    for (const { shard, token, attempt } of again) {
      const before = stage.began.find((each) => each.shard === shard && each.by === 'a')!;
      expect(token).toBeGreaterThan(before.token);
      expect(attempt).toBe(2);
    }
    // The first owner ends its works now: none of them counts.
    for (const release of held) release();
    await stage.clock.advance(10_000);
    const ends = (await stage.recorded()).filter(({ occasion }) => occasion === '02:59');
    expect(ends).toHaveLength(4);
    for (const { token } of ends) expect(again.some((each) => String(each.token) === token)).toBe(true);
    stuck.clock.resume();
    await other.stop();
  });

  it('tries again what fails, and records it as failed after that', async () => {
    const stage = new Stage();
    const replica = stage.start(
      'a',
      ({ shard, attempt }) => {
        if (shard === 0 || (shard === 1 && attempt < 3)) throw new Error('no paper');
      },
      { retries: 2, backOffMs: 1000 },
    );
    await stage.clock.advance(MINUTE_MS);
    const outcomes = Object.fromEntries(
      (await stage.recorded()).map(({ series, outcome }) => [series, outcome]),
    );
    expect(outcomes).toEqual({
      'shard-0': 'failed',
      'shard-1': 'done',
      'shard-2': 'done',
      'shard-3': 'done',
    });
    expect(stage.began.filter(({ shard }) => shard === 0).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(stage.log).toContain('partition orders: shard 0: 2026-11-16T02:59:00.000Z has failed: no paper');
    await replica.stop();
  });

  it('lets works end that run when it is stopped', async () => {
    const stage = new Stage();
    const replica = stage.start('a', async ({ signal }) => {
      await new Promise<void>((resolve) => stage.clock.after(1000, resolve));
      signal.throwIfAborted();
    });
    await stage.clock.advance(30_500);
    expect(stage.began).toHaveLength(4);
    expect(stage.done).toHaveLength(0);
    await replica.stop();
    expect(stage.byTime).toEqual({ '02:59': ALL });
    expect((await stage.recorded()).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('is done once for each shard and fire time whatever replicas do: they start, leave, stall and come back', async () => {
    const act = fc.record({
      does: fc.constantFrom('start', 'stop', 'stall', 'resume'),
      replica: fc.integer({ min: 0, max: 2 }),
      afterMs: fc.integer({ min: 0, max: 25_000 }),
      workMs: fc.integer({ min: 0, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
        const stage = new Stage();
        const replicas: (Replica | null)[] = [null, null, null];
        const start = (index: number, workMs: number): void => {
          const work = ({ signal }: ShardOccasion): Promise<void> =>
            new Promise((resolve, reject) => {
              stage.clock.after(workMs, resolve);
              signal.addEventListener('abort', () => reject(signal.reason));
            });
          replicas[index] = stage.start(`r${index}`, work, { catchUp: 'all' });
        };
        for (const { does, replica, afterMs, workMs } of acts) {
          const found = replicas[replica] ?? null;
          if (does === 'start' && found === null) start(replica, workMs);
          else if (does === 'stop' && found !== null) {
            found.clock.resume();
            replicas[replica] = null;
            await found.stop(30_000);
          } else if (does === 'stall' && found !== null) found.clock.stall();
          else if (does === 'resume' && found !== null) found.clock.resume();
          await stage.clock.advance(afterMs);
        }
        for (const [index, replica] of replicas.entries())
          if (replica === null) start(index, 0);
          else replica.clock.resume();
        await stage.clock.advance(5 * MINUTE_MS);
        const ends = (await stage.recorded()).map(({ series, occasion }) => `${series} ${occasion}`);
        expect(new Set(ends).size).toBe(ends.length);
        for (const shard of ALL) {
          const times = stage.ended.filter((each) => each.shard === shard).map(({ at }) => minuteOf(at));
          expect(times.length).toBeGreaterThan(3);
          for (const [i, minute] of times.entries()) if (i > 0) expect(minute).toBe(times[i - 1]! + 1);
        }
        for (const each of ALL) {
          const tokens = stage.began.filter(({ shard }) => shard === each).map(({ token }) => token);
          for (const [i, token] of tokens.entries()) if (i > 0) expect(token >= tokens[i - 1]!).toBe(true);
        }
        for (const replica of replicas) await replica?.stop(30_000);
      }),
      { numRuns: 15 },
    );
  });

  it('can be one of several, beside other work on the shard', async () => {
    const stage = new Stage();
    const engine = stage.memory.engine({ name: 'a', clock: stage.clock });
    const partition = new Partition('orders', engine, { shards: 2, clock: stage.clock });
    const stop = new AbortController();
    const ran: string[] = [];
    const owning = partition.own(
      async ({ shard, schedule }) => {
        const note = (series: string) => (): void => void ran.push(`${series} ${shard}`);
        await Promise.all([
          schedule('* * * * *', note('bill'), { series: 'bill' }),
          schedule('*/2 * * * *', note('clean'), { series: 'clean' }),
        ]);
      },
      { signal: stop.signal },
    );
    await stage.clock.advance(2 * MINUTE_MS);
    expect(ran.sort()).toEqual(['bill 0', 'bill 0', 'bill 1', 'bill 1', 'clean 0', 'clean 1']);
    stop.abort();
    await stage.clock.advance(1000);
    await owning;
  });

  it('refuses a line, an option or a transaction that cannot be, before it owns anything', async () => {
    const stage = new Stage();
    const engine = stage.memory.engine({ name: 'a', clock: stage.clock });
    const partition = new Partition('orders', engine, { shards: 2, clock: stage.clock });
    const work = (): void => {};
    await expect(partition.schedule('every day', work)).rejects.toThrow(/schedule: expected a cron line/);
    await expect(partition.schedule('* * * * *', work, { catchUp: 'some' as 'all' })).rejects.toThrow(
      /catchUp/,
    );
    const transaction = { transaction: true } as ShardScheduleOptions;
    await expect(partition.schedule('* * * * *', work, transaction)).rejects.toThrow(/transaction/);
    expect(partition.owned).toEqual([]);
    await partition.close();
  });
});
