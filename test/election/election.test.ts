/** What a program that takes part in an election can rely on, on a seat whose fortunes the test decides. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { CaucusError, type Leadership, LeadershipLost } from '../../src/election/index.ts';
import { aborted, calm, HandClock, open } from './support.ts';

describe('lead', () => {
  it('does the work when we win, then releases and settles with its result', async () => {
    const { seat, election } = open();
    const led = election.lead(({ token, assert }) => {
      assert();
      return token;
    });
    expect(seat.log).toEqual(['stand']);
    seat.win();
    expect(await led).toBe(1n);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    expect(seat.standing.held).toBeNull();
  });

  it('does the work again after a loss, once the old work has stopped', async () => {
    const { seat, election } = open();
    let running = 0;
    const seen: [bigint, string][] = [];
    const led = election.lead(async ({ token, signal }) => {
      running += 1;
      expect(running).toBe(1);
      if (token > 4n) return token;
      await aborted(signal);
      seen.push([token, (signal.reason as LeadershipLost).cause]);
      await calm();
      running -= 1;
      return token;
    });
    seat.win();
    await calm();
    seat.lose('deposed', 'b leads', 'b');
    seat.win(); // The work of the first is still stopping.
    await calm();
    await calm();
    expect(running).toBe(1);
    seat.lose('lost-quorum', 'nobody answers');
    await calm();
    await calm();
    seat.win();
    expect(await led).toBe(5n);
    expect(seen).toEqual([
      [1n, 'deposed'],
      [3n, 'lost-quorum'],
    ]);
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('releases and rejects when the work fails, also before its first await', async () => {
    const { seat, election } = open();
    const failure = new Error('the disk is full');
    const led = election.lead(() => {
      throw failure;
    });
    seat.win();
    await expect(led).rejects.toBe(failure);
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it.each([
    ['the reason of its signal', (lost: LeadershipLost) => lost],
    ['an AbortError', () => new DOMException('aborted', 'AbortError')],
    ['an error that was caused by it', (lost: LeadershipLost) => new Error('fetch failed', { cause: lost })],
    [
      'several errors, one of them caused by it',
      (lost: LeadershipLost) => new AggregateError([new Error('x'), lost]),
    ],
  ])('takes %s for a stop, not for a failure', async (_, thrown) => {
    const { seat, election } = open();
    const led = election.lead(async ({ token, signal }) => {
      if (token > 1n) return 'second';
      await aborted(signal);
      throw thrown(signal.reason as LeadershipLost);
    });
    seat.win();
    await calm();
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    seat.win();
    expect(await led).toBe('second');
  });

  it('tells of a failure that has nothing to do with a loss, even after one', async () => {
    const { seat, election } = open();
    const failure = new Error('a bug in the clean-up');
    const led = election.lead(async ({ signal }) => {
      await aborted(signal);
      throw failure;
    });
    seat.win();
    await calm();
    seat.lose('deposed', 'b leads', 'b');
    await expect(led).rejects.toBe(failure);
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('is called off by its signal: the work stops, then the release, then it resolves with undefined', async () => {
    const { seat, election } = open();
    const shutdown = new AbortController();
    const order: string[] = [];
    seat.onRelease = async () => {
      order.push('released');
    };
    const led = election.lead(
      async ({ signal, isValid }) => {
        await aborted(signal);
        order.push(`aborted, valid: ${isValid()}`);
        await calm();
        order.push('stopped');
      },
      { signal: shutdown.signal },
    );
    seat.win();
    await calm();
    shutdown.abort(new Error('shutting down'));
    expect(await led).toBe(undefined);
    expect(order).toEqual(['aborted, valid: false', 'stopped', 'released']);
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(0);
  });

  it('is called off while it waits, and no longer stands', async () => {
    const { seat, election } = open();
    const shutdown = new AbortController();
    const led = election.lead(() => 'never', { signal: shutdown.signal });
    shutdown.abort();
    expect(await led).toBe(undefined);
    await calm();
    expect(seat.log).toEqual(['stand', 'withdraw']);
    expect(await election.lead(() => 'never', { signal: shutdown.signal })).toBe(undefined);
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('does not begin the work if it is called off at the moment of winning', async () => {
    const { seat, election } = open();
    const shutdown = new AbortController();
    let calls = 0;
    const led = election.lead(() => ++calls, { signal: shutdown.signal });
    seat.win();
    shutdown.abort();
    expect(await led).toBe(undefined);
    expect(calls).toBe(0);
    expect(seat.log).toEqual(['stand', 'withdraw']);
    expect(getEventListeners(shutdown.signal, 'abort')).toHaveLength(0);
  });

  it('releases all the same when the work does not stop in time, and does not call it a second time', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, drainMs: 1000 });
    let finish = (): void => {};
    let calls = 0;
    const led = election.lead(async ({ token }) => {
      calls += 1;
      if (calls > 1) return token;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return token;
    });
    seat.win();
    await calm();
    const resigned = election.resign();
    await clock.pass(999);
    expect(seat.log).toEqual(['stand']);
    await clock.pass(1);
    await resigned;
    expect(seat.log).toEqual(['stand', 'withdraw']);
    await clock.pass(60_000);
    expect(seat.log).toEqual(['stand', 'withdraw']); // Nobody stands while the old work goes on.
    finish();
    await calm();
    expect(seat.log.slice(2)).toEqual(['stand']);
    seat.win();
    expect(await led).toBe(3n);
    expect(clock.pending).toBe(0);
  });

  it('settles when it is called off although the work never stops, and says so', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock, drainMs: 1000 });
    const shutdown = new AbortController();
    const led = election.lead(() => new Promise(() => {}), { signal: shutdown.signal });
    seat.win();
    await calm();
    shutdown.abort();
    const refused = expect(led).rejects.toMatchObject({ code: 'E_WORK_NOT_STOPPED', outcome: 'indefinite' });
    await clock.pass(1000);
    await refused;
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('lets the work itself resign, and stands again when the work has returned', async () => {
    const { seat, election } = open();
    const led = election.lead(async ({ token, resign, signal }) => {
      if (token > 1n) return token;
      await resign();
      expect(signal.reason).toMatchObject({ cause: 'resigned' });
      expect(seat.standing.held).toBeNull();
      return token;
    });
    seat.win();
    await calm();
    expect(seat.log).toEqual(['stand', 'resign']);
    seat.win();
    expect(await led).toBe(3n);
  });
});

describe('campaign', () => {
  it('waits until we lead; `await using` gives it back', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    {
      await using leadership = await waiting;
      expect(leadership.isValid()).toBe(true);
      expect(leadership.expiresInMs).toBe(Number.POSITIVE_INFINITY);
      expect(leadership.lost).toBeNull();
    }
    expect(seat.log).toEqual(['stand', 'withdraw']);
  });

  it('can be called off, and leaves no listener behind either way', async () => {
    const { seat, election } = open();
    const controller = new AbortController();
    const first = election.campaign({ signal: controller.signal });
    seat.win();
    const leadership = await first;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const second = election.campaign({ signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect(leadership.isValid()).toBe(true);
    await leadership.resign();
  });

  it('lets those who share an election take turns, in the order in which they came', async () => {
    const { seat, election } = open();
    const order: string[] = [];
    const turnOf = async (name: string): Promise<void> => {
      await using leadership = await election.campaign();
      order.push(`${name} ${leadership.token}`);
    };
    const all = Promise.all(['x', 'y', 'z'].map(turnOf));
    for (let i = 0; i < 3; i++) {
      seat.win();
      await calm();
    }
    await all;
    expect(order).toEqual(['x 1', 'y 3', 'z 5']);
    expect(seat.log).toEqual(['stand', 'resign', 'resign', 'withdraw']);
  });

  it('never returns what was lost before anybody could look at it', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    seat.win();
    const leadership = await waiting;
    expect([leadership.token, leadership.isValid()]).toEqual([3n, true]);
    expect(seat.log).toEqual(['stand']);
    await leadership.resign();
    let calls = 0;
    const led = election.lead(() => ++calls);
    seat.win();
    seat.lose('deposed', 'b leads', 'b');
    await calm();
    expect(calls).toBe(0);
    seat.win();
    expect(await led).toBe(1);
  });

  it('takes what the seat holds already', async () => {
    const { seat, election } = open();
    seat.win();
    expect((await election.campaign()).token).toBe(1n);
  });

  it('rejects with what the seat says if it cannot stand', async () => {
    const { seat, election } = open();
    const refusal = new CaucusError('E_UNREACHABLE', 'no route to the store');
    seat.stand = () => {
      throw refusal;
    };
    await expect(election.campaign()).rejects.toBe(refusal);
  });
});

describe('stepping down', () => {
  it('resigns after the work has stopped, and goes on standing', async () => {
    const { seat, election } = open();
    const order: string[] = [];
    seat.onRelease = async () => {
      order.push('released');
    };
    const shutdown = new AbortController();
    const led = election.lead(
      async ({ signal }) => {
        await aborted(signal);
        await calm();
        order.push('stopped');
      },
      { signal: shutdown.signal },
    );
    seat.win();
    await calm();
    await election.resign();
    expect(order).toEqual(['stopped', 'released']);
    expect(seat.log).toEqual(['stand', 'resign']);
    shutdown.abort();
    expect(await led).toBe(undefined);
  });

  it('hands over after the work has stopped', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    const handed = election.transfer('b');
    expect(leadership.signal.reason).toMatchObject({ cause: 'transferred' });
    await calm();
    expect(seat.log).toEqual(['stand']); // It waits for the one who holds it.
    await leadership.resign();
    await handed;
    expect(seat.log).toEqual(['stand', 'transfer b', 'withdraw']);
  });

  it('does not stop the work for a transfer that is not to be had', async () => {
    const { seat, election } = open();
    seat.objection = new CaucusError('E_UNSUPPORTED', 'it cannot hand over');
    const campaign = election.campaign();
    seat.win();
    const leadership = await campaign;
    await expect(election.transfer('b')).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
    await expect(leadership.transfer('b')).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
    expect(leadership.isValid()).toBe(true);
  });

  it('goes on leading, with a new leadership, after a transfer that failed', async () => {
    const { seat, election } = open();
    const refusal = new CaucusError('E_REFUSED', 'b does not answer');
    seat.onTransfer = async () => {
      throw refusal;
    };
    const led = election.lead(async (leadership) => {
      if (leaderships.push(leadership) > 1) return 'went on';
      await expect(leadership.transfer('b')).rejects.toBe(refusal);
      return 'lost';
    });
    const leaderships: Leadership[] = [];
    seat.win();
    expect(await led).toBe('went on');
    expect(leaderships.map((each) => each.token)).toEqual([1n, 1n]);
    expect(leaderships[0]!.isValid()).toBe(false);
  });

  it('refuses to hand over or publish what we do not hold, and to resign does no harm', async () => {
    const { seat, election } = open();
    await election.resign();
    await expect(election.transfer('b')).rejects.toMatchObject({ code: 'E_NOT_LEADER', outcome: 'definite' });
    seat.lose('won', 'b was elected', 'b');
    await expect(election.publish(1)).rejects.toThrow('a does not lead report: b leads');
    expect(seat.log).toEqual([]);
  });
});

describe('publish', () => {
  it('settles with the version, and everybody can read the value', async () => {
    const { seat, election } = open();
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    expect(await leadership.publish({ url: 'http://a' })).toBe(1);
    expect(await election.publish({ url: 'http://a2' })).toBe(2);
    expect(election.value).toEqual({ url: 'http://a2' });
    expect(election.version).toBe(2);
    await leadership.resign();
    await expect(leadership.publish(3)).rejects.toThrow(LeadershipLost);
  });

  it('settles when the leadership is lost meanwhile: it may have happened', async () => {
    const { seat, election } = open();
    seat.onPublish = () => new Promise(() => {});
    const waiting = election.campaign();
    seat.win();
    const leadership = await waiting;
    const publishing = leadership.publish(1);
    seat.lose('lost-quorum', 'nobody answers');
    await expect(publishing).rejects.toMatchObject({ code: 'E_FAILED', outcome: 'indefinite' });
    await leadership.resign();
  });
});

describe('close', () => {
  it('leaves only when a withdrawal that is under way is through', async () => {
    const { seat, election } = open();
    let answer = (): void => {};
    seat.onRelease = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const controller = new AbortController();
    const waiting = expect(election.campaign({ signal: controller.signal })).rejects.toThrow();
    controller.abort();
    await waiting;
    const closed = election.close();
    await calm();
    expect(seat.log).toEqual(['stand', 'withdraw']);
    answer();
    await closed;
    expect(seat.log).toEqual(['stand', 'withdraw', 'close']);
  });

  it('tells everybody who waits, stops the work first, and can be called again', async () => {
    const { seat, election } = open();
    let cause: unknown;
    const led = election.lead(async ({ signal }) => {
      await aborted(signal);
      cause = (signal.reason as LeadershipLost).cause;
      await calm();
      seat.log.push('stopped');
    });
    const waits = [led, election.campaign(), election.lead(() => 'never')].map((each) =>
      expect(each).rejects.toMatchObject({ code: 'E_CLOSED' }),
    );
    const read = (async () => {
      for await (const each of election.observe()) if (each.leader === 'z') return 'never';
      return 'ended';
    })();
    seat.win();
    await calm();
    await Promise.all([election.close(), election.close(), ...waits]);
    expect(cause).toBe('closed');
    expect(await read).toBe('ended');
    expect(seat.log).toEqual(['stand', 'stopped', 'withdraw', 'close']);
    expect(seat.watchers).toBe(0);
    await expect(election.campaign()).rejects.toMatchObject({ code: 'E_CLOSED' });
    await expect(election.publish(1)).rejects.toMatchObject({ code: 'E_CLOSED' });
  });
});

describe('what is not JSON', () => {
  const selfish: Record<string, unknown> = {};
  selfish.self = selfish;
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const cases: Record<string, [unknown, RegExp]> = {
    nothing: [undefined, /value: expected a JSON value, found nothing/],
    'a bigint': [10n, /found 10$/],
    'not a number': [{ rate: Number.NaN }, /value\.rate: expected a JSON value/],
    'a field without a value': [
      { a: [{ b: undefined }] },
      /value\.a\[0\]\.b: expected a JSON value, found nothing/,
    ],
    'a hole': [new Array(1), /value\[0\]/],
    'a date': [{ at: new Date(0) }, /value\.at: expected a JSON value/],
    'a function': [() => 1, /found function/],
    'what contains itself': [selfish, /at most 100 levels/],
    'what is nested too deeply': [deep, /at most 100 levels/],
  };
  for (const [name, [value, message]] of Object.entries(cases)) {
    it(`is not published: ${name}`, async () => {
      const { seat, election } = open();
      const campaign = election.campaign();
      seat.win();
      const leadership = await campaign;
      const refusal = { code: 'E_REFUSED', outcome: 'definite', message: expect.stringMatching(message) };
      await expect(leadership.publish(value as Json)).rejects.toMatchObject(refusal);
      await expect(election.publish(value as Json)).rejects.toMatchObject(refusal);
      expect(seat.standing.version).toBe(0);
      expect(leadership.isValid()).toBe(true);
      expect(await leadership.publish({ fine: [null, true, -1.5, 'x'] })).toBe(1);
    });
  }
});

describe('whoever has to let go is told why', () => {
  it('a lease that ran out is no resignation', async () => {
    const clock = new HandClock();
    const { seat, election } = open({ clock });
    const campaign = election.campaign();
    seat.win(1000);
    const leadership = await campaign;
    await clock.pass(1000);
    await leadership.resign();
    expect(seat.why).toMatchObject({ cause: 'lease-expired' });
  });

  it('work that is done has its own words', async () => {
    const { seat, election } = open();
    const led = election.lead(() => 'result');
    seat.win();
    expect(await led).toBe('result');
    expect(seat.why).toMatchObject({ cause: 'resigned', detail: 'its work is done' });
  });

  it('and so has an election that is closed', async () => {
    const { seat, election } = open();
    const campaign = election.campaign();
    seat.win();
    const leadership = await campaign;
    const closed = election.close();
    await leadership.resign();
    await closed;
    expect(seat.why).toMatchObject({ cause: 'closed' });
  });
});

describe('the options of an election', () => {
  it.each([
    [{ drainMs: 'x' }, 'drainMs: expected milliseconds, 0 or more, found "x"'],
    [{ drainMs: Number.NaN }, 'drainMs: expected milliseconds, 0 or more, found NaN'],
    [{ answerMs: -1 }, 'answerMs: expected milliseconds, 0 or more, found -1'],
    [{ drainMS: 1 }, /^drainMS: /],
    [7, /^options: expected an object/],
  ])('are refused if they do not fit: %o', (options, message) => {
    expect(() => open(options as object)).toThrow(message);
  });

  it('may let work take as long as it takes', () => {
    expect(() => open({ drainMs: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});
