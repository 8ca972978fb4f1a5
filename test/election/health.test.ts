/** A leader that lives but cannot do its work hands over, on every seat. */
import { afterEach, describe, expect, it } from 'vitest';
import { Election, type LeadershipLost } from '../../src/election/index.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { Cluster } from '../support/cluster.ts';
import { aborted, calm, openLogged } from './support.ts';

const work = async ({ signal }: { signal: AbortSignal }): Promise<void> => {
  await aborted(signal);
};

describe('health', () => {
  it('stands once the check succeeds, and leads as long as it does', async () => {
    const { seat, clock, election, log } = openLogged();
    let isGood = false;
    const stop = new AbortController();
    const led = election.lead(work, { signal: stop.signal, health: () => isGood });
    await clock.pass(5000);
    expect(seat.log).toEqual([]);
    isGood = true;
    await clock.pass(1000);
    expect(seat.log).toEqual(['stand']);
    seat.win();
    await clock.pass(60_000);
    expect(election.leadership?.isValid()).toBe(true);
    expect(log).toEqual(['report: the health check failed: it answered false']);
    stop.abort(new Error('over'));
    expect(await led).toBe(undefined);
    expect(clock.pending).toBe(0);
  });

  it('resigns after three failures in a row, after the work has stopped, and stands when it is healthy again', async () => {
    const { seat, clock, election } = openLogged();
    const answers: boolean[] = [];
    let usual = true;
    const order: string[] = [];
    seat.onRelease = async () => void order.push('released');
    const led = election.lead(
      async ({ signal, token }) => {
        if (token > 1n && seat.standing.token !== 1n) return 'second';
        await aborted(signal);
        order.push((signal.reason as LeadershipLost).cause, (signal.reason as LeadershipLost).detail);
        await calm();
        order.push('stopped');
        return 'first';
      },
      { health: async () => answers.shift() ?? usual },
    );
    await calm();
    seat.win();
    await calm();
    answers.push(false, false, true, false, false, true);
    await clock.pass(6000);
    expect(election.leadership).not.toBeNull();
    usual = false;
    await clock.pass(1000);
    await clock.pass(1000);
    expect(election.leadership).not.toBeNull();
    await clock.pass(1000);
    expect(election.leadership).toBeNull();
    await clock.pass(10_000);
    expect(order).toEqual([
      'unhealthy',
      'its health check failed 3 times in a row: it answered false',
      'stopped',
      'released',
    ]);
    expect(seat.why?.cause).toBe('unhealthy');
    expect(seat.log).toEqual(['stand', 'withdraw']);
    usual = true;
    await clock.pass(1000);
    expect(seat.log).toEqual(['stand', 'withdraw', 'stand']);
    seat.win();
    expect(await led).toBe('second');
  });

  it('counts a check that throws or does not answer, tells why once, and does not call one that hangs again', async () => {
    const { seat, clock, election, log } = openLogged();
    let calls = 0;
    let check = (): boolean | Promise<boolean> => true;
    void election
      .lead(work, {
        health: {
          check: () => {
            calls += 1;
            return check();
          },
          everyMs: 100,
          withinMs: 50,
          failures: 2,
        },
      })
      .catch(() => {});
    await calm();
    seat.win();
    await calm();
    const { leadership } = election;
    check = () => {
      throw new Error('no connection to\nthe database');
    };
    await clock.pass(100);
    expect(leadership?.isValid()).toBe(true);
    await clock.pass(100);
    expect(leadership?.lost?.detail).toBe(
      'its health check failed 2 times in a row: no connection to the database',
    );
    check = () => new Promise(() => {});
    const before = calls;
    await clock.pass(10_000);
    expect(calls).toBeLessThanOrEqual(before + 1);
    expect(log).toEqual([
      'report: the health check failed: no connection to the database',
      'report: the health check failed: it did not answer within 50 ms',
    ]);
    await election.close();
    await clock.pass(50);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [{ check: 3 }, 'health.check'],
    [{ check: openLogged, everyMs: 0 }, 'health.everyMs'],
    [{ check: openLogged, failures: 1.5 }, 'health.failures'],
    [{ check: openLogged, timeoutMs: 5 }, 'health.timeoutMs'],
  ])('refuses %j', async (health, path) => {
    await expect(openLogged().election.lead(work, { health } as never)).rejects.toMatchObject({ path });
  });

  it('ends when it is called off while the check fails', async () => {
    const { election } = openLogged();
    const led = election.lead(work, { health: () => false });
    await election.close();
    await expect(led).rejects.toMatchObject({ code: 'E_CLOSED' });
  });
});

it('on an engine, another participant leads', async () => {
  const memory = new Memory();
  const engines = ['a', 'b'].map((name) => memory.engine({ name, log: () => {} }));
  const [a, b] = engines.map((engine) => new Election('report', engine));
  let isGood = true;
  void a!.lead(work, { health: { check: () => isGood, everyMs: 5, failures: 2 } }).catch(() => {});
  for await (const { isSelf } of a!.observe()) if (isSelf) break;
  const next = b!.campaign();
  isGood = false;
  const leadership = await next;
  expect(b!.leader()?.name).toBe('b');
  await leadership.resign();
  await Promise.all(engines.map((engine) => engine.close()));
});

describe('among members', () => {
  let cluster: Cluster | null = null;
  afterEach(async () => cluster?.close());

  it('another member leads, and both say why', { timeout: 60_000 }, async () => {
    cluster = await Cluster.start(['a', 'b', 'c'], { options: { preset: 'steady' } });
    let isGood = true;
    const [a, b] = ['a', 'b'].map((id) => cluster!.member(id).election('report'));
    void a!.lead(work, { health: { check: () => isGood, everyMs: 20, failures: 2 } }).catch(() => {});
    for await (const { isSelf } of a!.observe()) if (isSelf) break;
    const next = b!.campaign();
    isGood = false;
    const leadership = await next;
    const seen = ({ history }: { history: readonly { cause: string; detail: string }[] }): boolean =>
      history.some(
        ({ cause, detail }) =>
          cause === 'unhealthy' &&
          detail === 'a resigned: its health check failed 2 times in a row: it answered false',
      );
    for (const id of ['a', 'b']) {
      const port = cluster.member(id).electionPort('report');
      expect(seen(port), id).toBe(true);
      expect(port.isCandidate, id).toBe(id === 'b');
    }
    isGood = true;
    while (!cluster.member('a').electionPort('report').isCandidate)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await leadership.resign();
  });
});
