/** `election.schedule` in virtual time: what fires, what is caught up, and what a clock that is set does. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  Election,
  fireTimes,
  type ScheduleOptions,
  type Seat,
  type Standing,
} from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { VirtualClock } from './virtual-clock.ts';

const MINUTE_MS = 60_000;

/** Replicas of one program with one schedule. */
class Stage {
  readonly clock = new VirtualClock('2026-11-16T02:58:30.000Z');
  readonly memory: Memory = new Memory(this.clock);
  /** The occasions whose work has begun, without their date. */
  readonly began: string[] = [];
  #replicas = 0;

  replica(): Election {
    this.#replicas += 1;
    const engine = this.memory.engine({ name: `r${this.#replicas}`, clock: this.clock });
    return new Election('nightly', engine, { clock: this.clock });
  }

  /** It knows nothing of what is recorded as long as it does not lead. */
  blindReplica(): Election {
    const engine = this.memory.engine({ clock: this.clock });
    const hide = (standing: Standing): Standing =>
      standing.held === null ? { ...standing, isKnown: false, value: null, version: 0 } : standing;
    const seat = (name: string): Seat => {
      const inner = engine.seat(name);
      return new Proxy(inner, {
        get(_, field) {
          if (field === 'standing') return hide(inner.standing);
          if (field === 'watch')
            return (listener: (standing: Standing) => void) => inner.watch((each) => listener(hide(each)));
          const found = inner[field as keyof Seat];
          return typeof found === 'function' ? found.bind(inner) : found;
        },
      });
    };
    return new Election('nightly', { seat }, { clock: this.clock });
  }

  /** Starts a schedule of a run each minute; returns how to end it. */
  start(election: Election, options: ScheduleOptions = {}, line = '* * * * *'): () => Promise<void> {
    const stop = new AbortController();
    const over = election.schedule(
      line,
      ({ occasion }) => void this.began.push(String(occasion).slice(11, 16)),
      {
        ...options,
        signal: stop.signal,
      },
    );
    return async () => {
      stop.abort();
      await over;
    };
  }
}

// The package that reads cron lines is loaded when it is needed, which takes real time.
beforeAll(async () => void (await fireTimes('* * * * *', 'UTC')));

describe('a schedule', () => {
  it('is done once also if it is started twice on one election, and says so', async () => {
    const stage = new Stage();
    const log: string[] = [];
    const engine = stage.memory.engine({ clock: stage.clock, log: ({ message }) => log.push(message) });
    const election = new Election('nightly', engine, { clock: stage.clock });
    const stops = [stage.start(election), stage.start(election)];
    await stage.clock.advance(2 * MINUTE_MS);
    for (const stop of stops) await stop();
    expect(stage.began).toEqual(['02:59', '03:00']);
    expect(log).toEqual([
      'nightly: two schedules of this process have the series main: each fire time that both have is done by one of them; give each its own series',
    ]);
  });

  it('has its work done by one of its replicas, once each time', async () => {
    const stage = new Stage();
    const stops = [stage.start(stage.replica()), stage.start(stage.replica()), stage.start(stage.replica())];
    await stage.clock.advance(5 * MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00', '03:01', '03:02', '03:03']);
    for (const stop of stops) await stop();
    await stage.clock.advance(5 * MINUTE_MS);
    expect(stage.began).toHaveLength(5);
  });

  it.each([
    ['all', ['02:59', '03:00', '03:01', '03:02', '03:03', '03:04']],
    ['last', ['02:59', '03:03', '03:04']],
    ['none', ['02:59', '03:03', '03:04']],
  ] as const)('catches up after an outage: %s', async (catchUp, expected) => {
    const stage = new Stage();
    const stop = stage.start(stage.replica(), { catchUp });
    await stage.clock.advance(MINUTE_MS);
    await stop();
    await stage.clock.advance(4 * MINUTE_MS);
    const again = stage.start(stage.replica(), { catchUp });
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(expected);
    await again();
  });

  it('catches up nothing that is too late, with none', async () => {
    const stage = new Stage();
    const options = { catchUp: 'none', lateMs: 10_000 } as const;
    const stop = stage.start(stage.replica(), options);
    await stage.clock.advance(MINUTE_MS);
    await stop();
    await stage.clock.advance(4 * MINUTE_MS);
    const again = stage.start(stage.replica(), options);
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:04']);
    await again();
  });

  it('begins no occasion before an earlier one, also if it knows the record only once it leads', async () => {
    const stage = new Stage();
    const stop = stage.start(stage.replica(), { catchUp: 'all' });
    await stage.clock.advance(MINUTE_MS);
    await stop();
    await stage.clock.advance(3 * MINUTE_MS);
    const again = stage.start(stage.blindReplica(), { catchUp: 'all' });
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00', '03:01', '03:02', '03:03']);
    await again();
  });

  it('runs again what has begun before it was started, also the first occasion of all', async () => {
    const stage = new Stage();
    const first = stage.replica();
    const cut = first.schedule('* * * * *', ({ signal }) => {
      void first.close().catch(() => {});
      throw signal.reason;
    });
    const told = expect(cut).rejects.toMatchObject({ code: 'E_CLOSED' });
    await stage.clock.advance(2 * MINUTE_MS);
    await told;
    const stop = stage.start(stage.replica());
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00', '03:01']);
    await stop();
  });

  it('runs nothing twice when the clock is set back, and goes on when it has caught up', async () => {
    const stage = new Stage();
    const stops = [
      stage.start(stage.replica(), { catchUp: 'all' }),
      stage.start(stage.replica(), { catchUp: 'all' }),
    ];
    await stage.clock.advance(2 * MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00']);
    stage.clock.set('2026-11-16T02:58:50.000Z');
    await stage.clock.advance(2 * MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00']);
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(['02:59', '03:00', '03:01']);
    for (const stop of stops) await stop();
  });

  it('notices a clock that jumps over a fire time', async () => {
    const stage = new Stage();
    const stop = stage.start(stage.replica(), {}, '0 3 * * *');
    await stage.clock.advance(1000);
    stage.clock.set('2026-11-16T03:20:00.000Z');
    await stage.clock.advance(MINUTE_MS);
    expect(stage.began).toEqual(['03:00']);
    await stop();
  });

  it('lets work that runs at shutdown end, and records it', async () => {
    const stage = new Stage();
    const stop = new AbortController();
    const election = stage.replica();
    let isWhole = false;
    const over = election.schedule(
      '* * * * *',
      async ({ signal }) => {
        stop.abort();
        await new Promise<void>((resolve) => stage.clock.after(5000, resolve));
        isWhole = !signal.aborted;
      },
      { signal: stop.signal },
    );
    await stage.clock.advance(2 * MINUTE_MS);
    await over;
    expect(isWhole).toBe(true);
    expect(election.runs.runs).toMatchObject([{ outcome: 'done', attempt: 1 }]);
  });

  it('tells of each occasion that it ran, or waited for', async () => {
    const stage = new Stage();
    const told: string[] = [];
    const onRun: ScheduleOptions['onRun'] = ({ outcome, occasion }) =>
      void told.push(`${outcome} ${occasion}`);
    const busy = (): Promise<void> => new Promise((resolve) => stage.clock.after(5000, resolve));
    const stop = new AbortController();
    const over = [stage.replica(), stage.replica()].map((each) =>
      each.schedule('* * * * *', busy, { onRun, signal: stop.signal }),
    );
    await stage.clock.advance(MINUTE_MS);
    expect(told.sort()).toEqual(['already-done 2026-11-16T02:59:00.000Z', 'done 2026-11-16T02:59:00.000Z']);
    stop.abort();
    await Promise.all(over);
  });

  it('rests: a hundred of them on one election wake twice a minute each', async () => {
    const stage = new Stage();
    const election = stage.replica();
    const stops = Array.from({ length: 100 }, (_, i) =>
      stage.start(election, { series: `job-${i}` }, '0 3 1 1 *'),
    );
    await stage.clock.advance(MINUTE_MS);
    stage.clock.fired = 0;
    await stage.clock.advance(5 * MINUTE_MS);
    expect(stage.clock.fired / 5).toBeLessThan(2 * 100 + 100);
    for (const stop of stops) await stop();
  });

  it('ends with its election', async () => {
    const stage = new Stage();
    const election = stage.replica();
    const over = election.schedule('* * * * *', () => {});
    const told = expect(over).rejects.toMatchObject({ code: 'E_CLOSED' });
    await stage.clock.advance(10);
    const closing = election.close();
    await stage.clock.advance(MINUTE_MS);
    await closing;
    await told;
  });

  it.each([
    [
      '61 * * * *',
      {},
      /^schedule: expected a cron line, as in "0 3 \* \* \*", found "61 \* \* \* \*" \(Invalid value/,
    ],
    ['every day', {}, /^schedule: expected a cron line/],
    ['2026-11-16T03:00:00', {}, /^schedule: expected a cron line/],
    ['0 0 30 2 *', {}, /^schedule: expected a cron line that fires some day, found/],
    [
      '* * * * *',
      { timezone: 'Mars/Phobos' },
      /^timezone: expected a zone, as in UTC or Europe\/Berlin, found "Mars/,
    ],
    ['* * * * *', { catchUp: 'some' as 'all' }, /^catchUp: expected /],
    ['* * * * *', { series: 'a b' }, /^series: expected 1 to 64 letters/],
    ['* * * * *', { misfire: 'skip' } as ScheduleOptions, /^misfire: expected catchUp in its place/],
    ['* * * * *', { retry: 3 } as ScheduleOptions, /retry/],
    [
      '* * * * *',
      { timeZone: 'UTC' } as ScheduleOptions,
      /^timeZone: expected one of the fields timezone, catchUp, onRun, (?!.*misfire)/,
    ],
  ])('refuses %s %o', async (line, options, words) => {
    const stage = new Stage();
    await expect(stage.replica().schedule(line, () => {}, options)).rejects.toThrow(words);
  });
});

describe('fire times', () => {
  it('are found backwards too, however far', async () => {
    const leapDays = await fireTimes('0 0 29 2 *', 'UTC');
    const at = (text: string): number => Date.parse(text);
    expect(leapDays.before(at('2026-11-16T00:00:00Z'), at('2020-01-01T00:00:00Z'))).toBe(
      at('2024-02-29T00:00:00Z'),
    );
    expect(leapDays.before(at('2026-11-16T00:00:00Z'), at('2024-02-29T00:00:00Z'))).toBe(null);
    const seconds = await fireTimes('* * * * * *', 'UTC');
    expect(seconds.before(at('2026-11-16T00:00:00.001Z'), 0)).toBe(at('2026-11-16T00:00:00Z'));
    expect(seconds.before(at('2026-11-16T00:00:00Z'), 0)).toBe(at('2026-11-15T23:59:59Z'));
  });

  it('follow the zone through a change of its offset', async () => {
    const berlin = await fireTimes('30 2 * * *', 'Europe/Berlin');
    const next = (text: string): string => new Date(berlin.after(Date.parse(text))!).toISOString();
    expect(next('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(next('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
    expect(next('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
  });
});
