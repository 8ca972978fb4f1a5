/** `election.once` on the engine in memory: each call is a replica of its own, or several in one process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  CaucusError,
  Election,
  type OnceOptions,
  type OnceWork,
  type Seat,
} from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { aborted } from '../election/support.ts';

/** Replicas of one program, each with its own engine. */
function replicas(count: number): Election[] {
  const memory = new Memory();
  return Array.from(
    { length: count },
    (_, i) => new Election('report', memory.engine({ name: `r${i}`, leaseMs: 1000 })),
  );
}

async function settledAll(
  all: readonly Election[],
  occasion: string | number | Date,
  work: OnceWork<unknown>,
  options: OnceOptions = {},
): Promise<string[]> {
  const outcomes = await Promise.all(all.map((each) => each.once(occasion, work, options)));
  return outcomes.map(({ outcome }) => outcome).sort();
}

describe('once', () => {
  it('does the work on one of three replicas, and tells the others', async () => {
    const all = replicas(3);
    const began: bigint[] = [];
    const work: OnceWork<string> = ({ token }) => {
      began.push(token);
      return 'result';
    };
    const outcomes = await Promise.all(all.map((each) => each.once('2026-11-16', work)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['already-done', 'already-done', 'done']);
    expect(began).toHaveLength(1);
    const ran = outcomes.find(({ outcome }) => outcome === 'done')!;
    expect(ran).toMatchObject({
      occasion: '2026-11-16',
      token: began[0],
      value: 'result',
      run: { attempt: 1 },
    });
    for (const { by, token } of outcomes) expect({ by, token }).toEqual({ by: ran.by, token: began[0] });
    expect(await settledAll(all, '2026-11-16', work)).toEqual(Array(3).fill('already-done'));
    expect(await settledAll(all, '2026-11-17', work)).toEqual(['already-done', 'already-done', 'done']);
    expect(began).toHaveLength(2);
    expect(all[0]!.runs.runs.map(({ occasion, outcome }) => `${occasion} ${outcome}`)).toEqual([
      '2026-11-16 done',
      '2026-11-17 done',
    ]);
  });

  it('tries failing work again with a back-off, then records it as failed, and does not try it again', async () => {
    const [a, b] = replicas(2);
    const attempts: number[] = [];
    const work: OnceWork<never> = ({ attempt }) => {
      attempts.push(attempt);
      throw new Error(`no paper ${attempt}`);
    };
    const outcome = await a!.once(7, work, { retries: 2, backOffMs: 5 });
    expect(outcome).toMatchObject({ outcome: 'failed', run: { attempt: 3, error: 'no paper 3' } });
    expect((outcome.error as Error).message).toBe('no paper 3');
    expect(attempts).toEqual([1, 2, 3]);
    const later = await b!.once(7, work, { retries: 2 });
    expect(later).toMatchObject({ outcome: 'already-failed', by: 'r0' });
    expect(attempts).toHaveLength(3);
  });

  it('runs again, with a greater token, what a lost leadership has cut short', async () => {
    const [a, b] = replicas(2);
    const seen: { token: bigint; attempt: number }[] = [];
    const work: OnceWork<void> = async ({ token, attempt, signal }) => {
      seen.push({ token, attempt });
      if (attempt === 1) {
        void a!.resign();
        throw signal.reason;
      }
    };
    const outcomes = [
      await a!.once('2026-11-16T03:00:00Z', work),
      await b!.once(new Date('2026-11-16T03:00:00Z'), work),
    ];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'already-done']);
    expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(seen[1]!.token).toBeGreaterThan(seen[0]!.token);
  });

  it('skips what is too late, if it is told to', async () => {
    const [a] = replicas(1);
    const hourAgo = new Date(Date.now() - 3_600_000);
    const outcome = await a!.once(hourAgo, () => 'late', { misfire: 'skip', lateMs: 60_000 });
    expect(outcome).toMatchObject({ outcome: 'skipped', run: { attempt: 0, began: null } });
    expect((await a!.once(new Date(), () => 'in time', { misfire: 'skip' })).outcome).toBe('done');
    await expect(a!.once(5, () => {}, { misfire: 'skip' })).rejects.toThrow(
      'misfire: expected an occasion that is a date and time beside "skip", found 5',
    );
  });

  it('refuses occasions that go back and were never recorded, and answers those that were', async () => {
    const [a, b] = replicas(2);
    await a!.once('2026-11-16', () => {});
    await a!.once('2026-11-18', () => {});
    expect(await b!.once('2026-11-16', () => {})).toMatchObject({ outcome: 'already-done', by: 'r0' });
    await expect(b!.once('2026-11-17', () => {})).rejects.toThrow(
      'occasion: expected an occasion after 2026-11-18, which was recorded last, found "2026-11-17"',
    );
    await expect(b!.once(5, () => {})).rejects.toThrow(
      'occasion: expected a day, as the last occasion, 2026-11-18',
    );
  });

  it('refuses what is no work or no option before anything is recorded', async () => {
    const [a] = replicas(1);
    const wrong = (...given: unknown[]): Promise<unknown> =>
      (a!.once as (...all: unknown[]) => Promise<unknown>).apply(a, given);
    await expect(wrong(1, undefined)).rejects.toThrow('work: expected a function, found ');
    await expect(wrong(1, () => {}, null)).rejects.toThrow('options: expected an object, found null');
    await expect(wrong(1, () => {}, { signal: 5 })).rejects.toThrow(
      'signal: expected an AbortSignal, found 5',
    );
    await expect(wrong(1, () => {}, { retry: 5 })).rejects.toThrow('retry');
    const schedule = a!.schedule('* * * * *', undefined as never);
    await expect(schedule).rejects.toThrow('work: expected a function, found ');
    expect(a!.version).toBe(0);
  });

  it('does not mix with published values, in either direction', async () => {
    const [a, b] = replicas(2);
    await a!.once(1, () => {});
    await using leadership = await a!.campaign();
    await expect(leadership.publish('word')).rejects.toThrow(
      'cannot publish: the election report records occasions',
    );
    await leadership.resign();
    const memory = new Memory();
    const other = new Election('values', memory.engine());
    const led = await other.campaign();
    await led.publish({ at: 'http://a' });
    await led.resign();
    await expect(other.once(1, () => {})).rejects.toThrow(
      'the election values cannot record occasions: its published value: expected a record of occasions, found another value',
    );
    expect(b!.runs.runs).toHaveLength(1);
  });

  it('is called off by its signal, and what was cut short is run again', async () => {
    const [a, b] = replicas(2);
    const stop = new AbortController();
    const begun = a!.once(
      1,
      async ({ signal }) => {
        stop.abort(new Error('enough'));
        await sleep(10_000, undefined, { signal }).catch(() => {});
      },
      { signal: stop.signal },
    );
    await expect(begun).rejects.toThrow('enough');
    expect(await b!.once(1, ({ attempt }) => attempt)).toMatchObject({ outcome: 'done', value: 2 });
  });

  it('lets work end that is told to drain', async () => {
    const [a] = replicas(1);
    const stop = new AbortController();
    const work: OnceWork<string> = async ({ signal }) => {
      stop.abort();
      await sleep(50);
      return signal.aborted ? 'aborted' : 'whole';
    };
    expect(await a!.once(1, work, { signal: stop.signal, drainMs: 10_000 })).toMatchObject({
      outcome: 'done',
      value: 'whole',
    });
  });

  it('ends work that takes too long, and says so if it ignores that', async () => {
    const [a] = replicas(1);
    const tooLong: OnceWork<void> = ({ signal }) => sleep(60_000, undefined, { signal });
    expect(await a!.once(1, tooLong, { maxRunMs: 20 })).toMatchObject({
      outcome: 'failed',
      run: { error: 'the work did not end within 20 ms' },
    });
    const memory = new Memory();
    const hurried = new Election('report', memory.engine({ leaseMs: 1000 }), { drainMs: 20 });
    let stuck = 0n;
    const ignoring: OnceWork<never> = ({ token }) => {
      stuck = token;
      return new Promise(() => {});
    };
    // The other series keeps the leadership in use meanwhile.
    const beside = hurried.once(1, ({ signal, attempt }) => (attempt > 1 ? undefined : aborted(signal)), {
      series: 'b',
    });
    await expect(hurried.once(1, ignoring, { maxRunMs: 20 })).rejects.toThrow(
      'the work is still running although its time was up: it ignored its signal',
    );
    const next = await hurried.once(1, ({ token }) => token);
    expect(next.value).toBeGreaterThan(stuck);
    expect((await beside).token).toBeGreaterThan(stuck);
  });

  it('gives up on work that kills its process again and again', async () => {
    const memory = new Memory();
    for (let life = 0; life < 3; life++) {
      const engine = memory.engine({ name: `life${life}` });
      const election = new Election('report', engine);
      const hung = election.once(
        1,
        ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            setTimeout(() => void engine.close());
          }),
        { maxAttempts: 3 },
      );
      await expect(hung).rejects.toThrow('was closed');
    }
    const last = new Election('report', memory.engine());
    expect(await last.once(1, () => 'never', { maxAttempts: 3 })).toMatchObject({
      outcome: 'failed',
      run: { attempt: 3, error: 'its work began 3 times and did not end' },
    });
  });

  it('records together what begins and ends together', async () => {
    const [a] = replicas(1);
    const series = Array.from({ length: 300 }, (_, i) => `job-${i}`);
    const ends = await Promise.all(series.map((each) => a!.once(1, () => {}, { series: each })));
    expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    expect(a!.version).toBeLessThan(20);
  });

  it('tells of a store that refuses the record, in its words', async () => {
    const engine = new Memory().engine({ retryMs: 50 });
    const seat = (name: string): Seat => {
      const inner = engine.seat(name);
      inner.publish = () => Promise.reject(new CaucusError('E_FAILED', 'a value of 9 bytes is too long'));
      return inner;
    };
    const election = new Election('full', { seat, log: () => {} });
    await expect(election.once(1, () => {})).rejects.toThrow('a value of 9 bytes is too long');
    await engine.close();
  });

  it('does one occasion of a series at a time in one process, and tells the second call', async () => {
    const [a] = replicas(1);
    let running = 0;
    const began: number[] = [];
    const work: OnceWork<void> = async () => {
      began.push(++running);
      await sleep(20);
      running -= 1;
    };
    const ends = await Promise.all([1, 2, 3].map(() => a!.once('2026-01-01', work)));
    expect(ends.map(({ outcome }) => outcome)).toEqual(['done', 'already-done', 'already-done']);
    expect(began).toEqual([1]);
    const next = await Promise.all(['2026-01-02', '2026-01-03'].map((day) => a!.once(day, work)));
    expect(next.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
    expect(began).toEqual([1, 1, 1]);
  });

  it('lets a call that waits for its turn be called off, and answers at once what has ended', async () => {
    const [a] = replicas(1);
    await a!.once(1, () => {});
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = a!.once(2, () => finished);
    const stop = new AbortController();
    const second = a!.once(2, () => {}, { signal: stop.signal });
    const third = a!.once(3, () => 'third');
    expect(await a!.once(1, () => {})).toMatchObject({ outcome: 'already-done' });
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    finish();
    expect([(await first).outcome, (await third).value]).toEqual(['done', 'third']);
  });

  /** A replica whose store takes no record of an end until it is told to. */
  function withOutage(
    leaseMs = 20_000,
    isHealedByLog = false,
  ): {
    readonly election: Election;
    readonly log: string[];
    readonly tried: () => number;
    readonly heal: () => void;
  } {
    const engine = new Memory().engine({ leaseMs, retryMs: leaseMs });
    const log: string[] = [];
    let [isOut, tried] = [true, 0];
    const seat = (name: string): Seat => {
      const inner = engine.seat(name);
      const publish = inner.publish.bind(inner);
      inner.publish = async (value) => {
        if (!isOut || !JSON.stringify(value).includes('"outcome"')) return publish(value);
        tried += 1;
        throw new CaucusError('E_FAILED', 'no connection', { outcome: 'indefinite' });
      };
      return inner;
    };
    const told = ({ message }: { readonly message: string }): void => {
      log.push(message);
      if (isHealedByLog) isOut = false;
    };
    const election = new Election('report', { seat, log: told });
    const heal = (): void => {
      isOut = false;
    };
    return { election, log, tried: () => tried, heal };
  }

  it('records an end after an outage of the store, under the same token, and runs nothing again', async () => {
    const { election, tried, heal } = withOutage();
    const began: bigint[] = [];
    const work: OnceWork<string> = ({ token }) => {
      began.push(token);
      return 'result';
    };
    const [first, second] = [1, 1].map((occasion, i) => election.once(occasion, work, { series: `s${i}` }));
    await vi.waitFor(() => expect(tried()).toBeGreaterThan(2), { timeout: 10_000 });
    heal();
    expect(await first).toMatchObject({ outcome: 'done', value: 'result', token: began[0] });
    const next = election.once(2, work, { series: 's0' });
    expect(await second).toMatchObject({ outcome: 'done', value: 'result' });
    // A late publication under the old token could undo this one. It lets no other participant go first, for 20 s here:
    // another one would repeat work whose end is not recorded.
    expect((await next).token).toBeGreaterThan(began[0]!);
    expect(began).toHaveLength(3);
  });

  it('tells of an end that could not be recorded while the leadership lasted', async () => {
    const { election, log } = withOutage(300, true);
    const end = election.once(1, () => {});
    await vi.waitFor(() => expect(log).not.toEqual([]), { timeout: 10_000 });
    expect(log[0]).toBe(
      'report: the end of 1 could not be recorded, so its work may be repeated: no connection',
    );
    expect(await end).toMatchObject({ outcome: 'done' });
  });

  it('runs series of one election at the same time, under one leadership', async () => {
    const [a] = replicas(1);
    const tokens = new Set<bigint>();
    let together = 0;
    let most = 0;
    const work: OnceWork<void> = async ({ token }) => {
      tokens.add(token);
      together += 1;
      most = Math.max(most, together);
      await sleep(50);
      together -= 1;
    };
    const names = Array.from({ length: 20 }, (_, i) => `job-${i}`);
    await Promise.all(names.map((series) => a!.once(1, work, { series })));
    expect(most).toBe(20);
    expect(tokens.size).toBe(1);
    expect(a!.runs.runs).toHaveLength(20);
    expect(new Set(a!.runs.runs.map(({ series }) => series)).size).toBe(20);
  });
});
