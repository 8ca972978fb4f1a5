/** Runs in which processes talk over connections, and learn of each other's deaths from them alone. */
import { describe, expect, it } from 'vitest';
import { History } from '../support/history.ts';

/** Three members, the first of which leads. */
function run(connections: unknown, events: readonly object[], more: object = {}): History {
  return new History({
    protocol: 'quorum',
    members: [{ id: 1, priority: 3 }, 2, 3],
    timing: { timeoutMs: [1000, 1500] },
    network: { latencyMs: 2 },
    disk: { isNew: true },
    connections,
    untilMs: 10_000,
    events,
    ...more,
  });
}

/** What a member was told of another from that moment on: `gone LIFE`, with `!` if it was proven, and `back`. */
function told(history: History, member: number, peer: number, fromMs: number): string[] {
  const all = [...history.inputs(member, 'peer-gone'), ...history.inputs(member, 'peer-back')];
  return all
    .filter(({ atMs, input }) => atMs >= fromMs && input.peer === peer)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ input }) =>
      input.type === 'peer-back' ? 'back' : `gone ${input.life}${input.proof ? '!' : ''}`,
    );
}

const AT_MS = 4000;
const crash = { atMs: AT_MS, do: 'crash', member: 'leader' };

function leaderOf(history: History, atMs: number): number {
  const acting = history.world.acting.stretches.find(
    ({ fromUs, toUs }) => fromUs <= atMs * 1000 && (toUs ?? Number.POSITIVE_INFINITY) > atMs * 1000,
  );
  return acting?.member as number;
}

describe('a process that is killed', () => {
  it.each([
    ['one-host', 'gone 1!', 'the kernel shows that it is gone'],
    ['trusted', 'gone 1!', 'its kernel closes its connections, and nothing else does'],
    ['apart', 'gone 1', 'a tunnel closes too'],
    ['clones', 'gone 1', 'its pid is on another kernel, whatever it says of itself'],
  ])('%s: %s, since %s', (between, news) => {
    const history = run(between, [crash]);
    const leader = leaderOf(history, AT_MS - 1);
    const others = [1, 2, 3].filter((id) => id !== leader);
    expect(others.map((id) => told(history, id, leader, AT_MS)[0])).toEqual([news, news]);
    expect(history.world.violations).toEqual([]);
  });

  it('is replaced at once where that is proven, and else when its lease is over', () => {
    const gapOf = (between: string): number => Math.min(...run(between, [crash]).world.coverage.gapsMs);
    expect(gapOf('one-host')).toBeLessThan(100);
    expect(gapOf('trusted')).toBeLessThan(100);
    expect(gapOf('apart')).toBeGreaterThan(500);
  });

  it('and started again at once is another process: the death of the one before is still found out', () => {
    const history = run('one-host', [crash, { atMs: AT_MS, do: 'restart', member: 'all' }]);
    const leader = leaderOf(history, AT_MS - 1);
    for (const id of [1, 2, 3].filter((each) => each !== leader)) {
      const news = told(history, id, leader, AT_MS);
      expect(news).toContain('gone 1!');
      expect(news).not.toContain('gone 2!');
      expect(news.at(-1)).toBe('back');
    }
  });
});

describe('a process that is only stopped', () => {
  it.each(['one-host', 'trusted', 'apart', 'clones'])('proves nothing (%s)', (between) => {
    const events = [
      { atMs: AT_MS, do: 'pause', member: 'leader' },
      { atMs: AT_MS + 2000, do: 'resume', member: 'all' },
    ];
    const history = run(between, events);
    const leader = leaderOf(history, AT_MS - 1);
    const other = [1, 2, 3].find((id) => id !== leader)!;
    expect(told(history, other, leader, AT_MS)).toEqual(['gone 1', 'back']);
    expect(history.world.violations).toEqual([]);
  });
});

describe('a connection', () => {
  it('that is reset in between is opened again, and proves nothing', () => {
    const history = run('one-host', [{ atMs: AT_MS, do: 'reset', from: 1, to: 2 }]);
    expect(history.events('reset')).toMatchObject([{ from: 1, to: 2, connections: 1 }]);
    expect(told(history, 1, 2, AT_MS).every((news) => !news.includes('!'))).toBe(true);
    expect(told(history, 1, 2, AT_MS).at(-1)).toBe('back');
    expect(history.world.broken.has('proof')).toBe(false);
  });

  it('that is reset breaks the assumption of those who trust that nothing in between does', () => {
    const history = run('trusted', [{ atMs: AT_MS, do: 'reset', from: 1, to: 2 }]);
    expect(told(history, 1, 2, AT_MS)[0]).toBe('gone 1!');
    expect([...history.world.broken]).toEqual(['proof']);
    const lies = history.world.violations.filter(({ property }) => property === 'proof');
    expect(lies.map(({ claimed }) => claimed)).toEqual([false, false]);
  });

  it('that is open on one side only is replaced by the one that the other side opens', () => {
    const history = run('apart', [{ atMs: AT_MS, do: 'reset', from: 1, to: 2, half: true }]);
    expect(told(history, 1, 2, AT_MS).at(-1)).toBe('back');
    // The other side has lost nothing: it answers over the new connection before it has given up the old one.
    expect(told(history, 2, 1, AT_MS)).toEqual([]);
    expect(
      history.inputs(2, 'message').filter(({ atMs, input }) => atMs > 5000 && input.from === 1),
    ).not.toEqual([]);
  });

  it('is needed to talk: a member that was cut off is heard again once it has connected again', () => {
    const events = [
      { atMs: 1000, do: 'cut', from: 1, to: 2 },
      { atMs: 2000, do: 'heal' },
    ];
    const parrots = { protocol: 'parrot', members: 2, timing: {}, untilMs: 3000 };
    const history = run({ between: 'apart', pingMs: 40 }, events, parrots);
    const [back] = history.inputs(2, 'peer-back').filter(({ atMs }) => atMs > 2000);
    const times = history.inputs(2, 'message').map(({ atMs }) => atMs);
    expect(times.some((atMs) => atMs > 1100 && atMs < back!.atMs)).toBe(false);
    expect(times.some((atMs) => atMs > back!.atMs)).toBe(true);
  });
});

describe('a second process of a member', () => {
  it('is not heard while the first one answers, and its death is none of the first', () => {
    const events = [
      { atMs: AT_MS, do: 'twin', member: 'leader', disk: 'empty' },
      { atMs: AT_MS + 1000, do: 'crash', member: 'all', twin: true },
    ];
    const history = run('one-host', events);
    const leader = leaderOf(history, AT_MS - 1);
    const other = [1, 2, 3].find((id) => id !== leader)!;
    expect(told(history, other, leader, AT_MS)).toEqual([]);
    expect(leaderOf(history, AT_MS + 1500)).toBe(leader);
  });

  it('takes the place of one that is stopped, and only its own death is proven', () => {
    const events = [
      { atMs: AT_MS, do: 'pause', member: 'leader' },
      { atMs: AT_MS + 50, do: 'twin', member: 'leader', disk: 'empty' },
      { atMs: AT_MS + 1500, do: 'crash', member: 'all', twin: true },
      { atMs: AT_MS + 2000, do: 'resume', member: 'all' },
    ];
    const history = run('one-host', events);
    const leader = leaderOf(history, AT_MS - 1);
    const other = [1, 2, 3].find((id) => id !== leader)!;
    const news = told(history, other, leader, AT_MS);
    expect(news).toContain('gone 2b!');
    expect(news).not.toContain('gone 1!');
    expect(history.world.violations).toEqual([]);
  });
});

describe('a stranger in the name of the leader', () => {
  const pause = { atMs: AT_MS, do: 'pause', member: 'leader' };
  const resume = { atMs: AT_MS + 2000, do: 'resume', member: 'all' };

  it.each(['same', 'other-life', 'other-pid'])('proves nothing by its end, if it says the %s', (says) => {
    for (const between of ['one-host', 'trusted']) {
      for (const meanwhile of [[], [pause, resume]]) {
        const stranger = { atMs: AT_MS + 600, do: 'stranger', as: 1, to: 'all', says, forMs: 300 };
        const history = run(between, [...meanwhile, stranger]);
        expect(history.events('stranger').filter(({ skipped }) => skipped === undefined)).toHaveLength(2);
        for (const id of [2, 3])
          expect(told(history, id, 1, AT_MS).filter((news) => /^gone 1!/.test(news))).toEqual([]);
        expect(history.world.violations).toEqual([]);
      }
    }
  });

  it('takes nothing away from it while it answers', () => {
    const stranger = { atMs: AT_MS, do: 'stranger', as: 1, to: 'all', says: 'same', forMs: 3000 };
    const history = run('apart', [stranger]);
    const leader = leaderOf(history, AT_MS - 1);
    expect(leaderOf(history, AT_MS + 3500)).toBe(leader);
    expect(history.world.claims.stretches.filter(({ fromUs }) => fromUs >= AT_MS * 1000)).toEqual([]);
  });
});

describe('a scenario with connections', () => {
  it('gives the same history each time', () => {
    const hash = run('one-host', [crash]).world.hash;
    expect(run('one-host', [crash]).world.hash).toBe(hash);
    expect(run({ between: 'one-host', pingMs: 100 }, [crash]).world.hash).toBe(hash);
    expect(run('apart', [crash]).world.hash).not.toBe(hash);
  });

  it.each([
    ['nowhere', 'connections'],
    [{ between: 'apart', pingMs: 0 }, 'connections.pingMs'],
    [{ pingMs: 10 }, 'connections.between'],
    [true, 'connections'],
  ])('is refused with %j', (connections, path) => {
    expect(() => run(connections, [])).toThrow(path);
  });

  it('is needed for what happens to connections', () => {
    const history = run(undefined, [{ atMs: AT_MS, do: 'reset', from: 1, to: 2 }]);
    expect(history.events('reset')).toEqual([{ do: 'reset', skipped: 'the scenario has no connections' }]);
  });
});
