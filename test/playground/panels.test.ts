import { describe, expect, it } from 'vitest';
import { ALARM_SHAPES } from '../../playground/src/draw/alarm-shapes.ts';
import { newRun } from '../../playground/src/game/run/presets.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { place, seconds } from '../../playground/src/game/words/seconds.ts';
import { countersAt } from '../../playground/src/panels/inspector/counters.ts';
import { Changes, readable } from '../../playground/src/panels/inspector/readable.ts';
import { Scout } from '../../playground/src/panels/inspector/scout.ts';
import { memberRows } from '../../playground/src/panels/member-rows.ts';
import { NewsOfLeaders } from '../../playground/src/panels/news.ts';
import { promiseRows } from '../../playground/src/panels/promise-rows.ts';
import { ticks } from '../../playground/src/panels/space-time/axis.ts';
import { overlaps } from '../../playground/src/panels/space-time/bars.ts';
import { branchWords, forksOf } from '../../playground/src/panels/space-time/forks.ts';
import { alarmMarks } from '../../playground/src/panels/space-time/marks.ts';
import { catalogue } from '../../src/protocols/index.ts';

/** Crashes, a pause of the leader, a restart: something of everything. */
function eventful(protocol: string): Timeline {
  const timeline = new Timeline(newRun(protocol, 5, 3));
  timeline.extendTo(7000);
  const leader = timeline.world.leaders[0] ?? 1;
  timeline.act([{ do: 'pause', member: leader }]);
  timeline.extendTo(10_000);
  timeline.act([{ do: 'resume', member: leader }]);
  timeline.extendTo(11_000);
  timeline.act([{ do: 'crash', member: leader }]);
  timeline.extendTo(18_000);
  return timeline;
}

describe('a time', () => {
  it('has hundredths of a second, or tenths of a millisecond where that would tell nothing', () => {
    expect([0, 0.001, 8.1234, 99.9, 100, 2414].map(seconds)).toEqual([
      '0.00 s',
      '0.00 s',
      '8.1 ms',
      '99.9 ms',
      '0.10 s',
      '2.41 s',
    ]);
    expect(place(8.1, 9.1)).toBe('8.1 ms of 9.1 ms');
    expect(place(2414, 12_000)).toBe('2.41 s of 12 s');
  });
});

describe('the axis of time', () => {
  it('has round moments that stand apart, with the digits that they need', () => {
    const labels = (fromMs: number, toMs: number, px: number): string[] =>
      ticks(fromMs, toMs, px / (toMs - fromMs)).map(({ label }) => label);
    expect(labels(0, 12_000, 900)).toEqual(Array.from({ length: 13 }, (_, i) => `${i} s`));
    expect(labels(1800, 2900, 700)).toEqual(['1.8 s', '2.0 s', '2.2 s', '2.4 s', '2.6 s', '2.8 s']);
    expect(labels(0, 300_000, 400)).toEqual(['0 s', '100 s', '200 s', '300 s']);
    expect(labels(5000, 5020, 400)).toEqual(['5.000 s', '5.005 s', '5.010 s', '5.015 s', '5.020 s']);
    expect(labels(0, 9.5, 700).slice(0, 3)).toEqual(['0 ms', '1 ms', '2 ms']);
    for (const span of [20, 70, 333, 1000, 8000, 45_000, 600_000]) {
      const found = ticks(0, span, 700 / span);
      expect(found.length).toBeGreaterThan(1);
      expect(((found[1]!.ms - found[0]!.ms) * 700) / span).toBeGreaterThanOrEqual(72);
    }
  });
});

describe('the diagram', () => {
  it('hatches the parts of bars at which two lead at once', () => {
    const bar = (member: number, fromMs: number, toMs: number) => ({ member, term: member, fromMs, toMs });
    expect(overlaps([bar(1, 0, 10), bar(2, 8, 20), bar(3, 20, 30)])).toEqual([
      { member: 2, term: 2, fromMs: 8, toMs: 10 },
      { member: 1, term: 1, fromMs: 8, toMs: 10 },
    ]);
  });

  it('marks what is broken in its own way, also where something harmless is close', () => {
    const violation = (property: 'S1' | 'S10', atMs: number) =>
      ({ property, atMs, claimed: false, members: [1, 2], detail: '' }) as const;
    const all = [violation('S10', 100), violation('S10', 500), violation('S1', 505)];
    expect(alarmMarks(all, 50)).toEqual([
      { atMs: 100, level: 'warning' },
      { atMs: 500, level: 'broken' },
    ]);
    expect(alarmMarks(all, 1).map(({ level }) => level)).toEqual(['warning', 'warning', 'broken']);
    expect(new Set(Object.values(ALARM_SHAPES)).size).toBe(3);
  });

  it('shows where a branch and others part, from either side', () => {
    const branches = [
      { id: 0, parent: null, forkMs: 0, actions: [] },
      { id: 1, parent: 0, forkMs: 5000, actions: [{ do: 'crash', member: 2 }] },
      { id: 2, parent: 1, forkMs: 6000, actions: [{ do: 'cut', from: 1, to: 3 }] },
    ] as const;
    expect(forksOf(branches, 0)).toEqual([{ id: 1, atMs: 5000 }]);
    expect(forksOf(branches, 1)).toEqual([
      { id: 0, atMs: 5000 },
      { id: 2, atMs: 6000 },
    ]);
    expect(branches.map(branchWords)).toEqual([
      'The first run',
      'Branch 1, from 5.00 s: crash 2',
      'Branch 2, from 6.00 s: cut 1 3',
    ]);
  });
});

describe('the counters', () => {
  for (const protocol of Object.keys(catalogue)) {
    it(`of ${protocol} are those of the simulator`, () => {
      const { history, world, headMs } = eventful(protocol);
      world.coverage.finish(world.nowUs);
      const counters = countersAt(history, headMs);
      expect(counters.darkMs).toBeCloseTo(world.coverage.darkUs / 1000, 3);
      expect(counters.doubleMs).toBeCloseTo(world.coverage.doubleUs / 1000, 3);
      expect([...counters.leaders].sort()).toEqual([...world.leaders].sort());
      expect(Object.fromEntries(counters.byType)).toEqual(Object.fromEntries(world.messagesByType));
    });
  }
});

describe('the inspector', () => {
  it('knows the inner state at any moment, forward and back', () => {
    const timeline = eventful('quorum');
    const seen = new Map<number, string>();
    const again = new Timeline(timeline.runUpTo(timeline.headMs));
    const stateOf = (world: typeof timeline.world): string =>
      JSON.stringify([...world.hosts.values()].map((host) => host.running?.state));
    for (let ms = 1000; ms <= 18_000; ms += 1000) {
      again.extendTo(ms);
      seen.set(ms, stateOf(again.world));
    }
    expect(new Set(seen.values()).size).toBeGreaterThan(10);
    const scout = new Scout();
    for (const ms of [3000, 9000, 9000, 16_000, 2000, 18_000, 17_000]) {
      expect(stateOf(scout.worldAt(timeline, ms))).toBe(seen.get(ms));
    }
  });

  it('writes values for people, and marks what has changed', () => {
    expect(readable(null)).toBe('–');
    expect(readable([1, 2])).toBe('1, 2');
    expect(readable([])).toBe('none');
    expect(readable([1, 2, 3, 4])).toBe('1–4');
    expect(readable([1, 2, 4, 3])).toBe('1, 2, 4, 3');
    expect(readable({ votedFor: 2, isDone: true })).toBe('voted for 2, is done yes');
    expect(readable({ members: [1, 2], at: { term: 3 } })).toBe('members (1 2), at (term 3)');
    const changes = new Changes();
    const field = (name: string, value: string) => ({ name, value });
    expect([...changes.of(1, [field('role', 'follower'), field('term', '1')])]).toEqual([]);
    expect([...changes.of(1, [field('role', 'leader'), field('term', '1')])]).toEqual(['role']);
    expect([...changes.of(1, [field('role', 'leader'), field('term', '1')])]).toEqual(['role']);
    expect([...changes.of(2, [field('role', 'follower'), field('term', '1')])]).toEqual([]);
  });
});

describe('the table of members', () => {
  it('tells role, votes, lease and state of each', () => {
    const timeline = eventful('quorum');
    const rows = memberRows(timeline.history, 6900);
    const leads = rows.filter(({ role }) => role === 'leader');
    expect(leads).toHaveLength(1);
    expect(leads[0]).toMatchObject({ leader: 'itself', state: 'running' });
    expect(leads[0]!.lease).toMatch(/^\d\.\d\d s$/);
    expect(leads[0]!.votes).toMatch(/^[3-5]: /);
    const { id } = leads[0]!;
    const at = (ms: number) => memberRows(timeline.history, ms).find((row) => row.id === id)!;
    expect(at(9900)).toMatchObject({ state: 'paused', lease: 'run out' });
    expect(at(12_000)).toMatchObject({ role: 'down', state: 'down', leader: '–' });
    const fresh = memberRows(new Timeline(newRun('epoch', 3, 1)).history, 0);
    expect(fresh.map(({ role, state }) => `${role}, ${state}`)).toEqual(
      Array(3).fill('not started, not started'),
    );
  });
});

describe('the promises', () => {
  it('say what is promised, and since when it does not hold', () => {
    const timeline = new Timeline(newRun('epoch', 5, 1));
    timeline.extendTo(5000);
    timeline.act([{ do: 'partition', groups: [[1], [2, 3, 4, 5]] }]);
    timeline.extendTo(12_000);
    const { pledges } = timeline.world.protocol;
    const rows = promiseRows(timeline.history, pledges, 'epoch', 12_000);
    const [s1, s10] = ['S1', 'S10'].map((name) => rows.find(({ property }) => property === name)!);
    expect(s1).toMatchObject({ name: 'one winner per epoch', holds: true, isPromised: true });
    expect(s1!.promise).toBe('promised, except after an empty disk or a forged message');
    expect(s10).toMatchObject({ holds: false, isPromised: false, isDefect: false, promise: 'not promised' });
    expect(s10!.verdict).toMatch(/^did not hold at \d\.\d\d s$/);
    expect(promiseRows(timeline.history, pledges, 'epoch', 1000).every(({ holds }) => holds)).toBe(true);
  });
});

describe('the news', () => {
  it('are about new leaders, once, and not about the past', () => {
    const { history } = eventful('epoch');
    const news = new NewsOfLeaders();
    const [first, second] = history.claims;
    expect(news.at(history, 0, 'epoch')).toBe('');
    const words = `${first!.member} became leader, epoch ${first!.term}`;
    expect(news.at(history, first!.fromUs / 1000, 'epoch')).toBe(words);
    news.forget();
    expect(news.at(history, first!.fromUs / 1000 + 1, 'epoch')).toBe('');
    expect(news.at(history, second!.fromUs / 1000, 'epoch')).toContain(`${second!.member} became leader`);
    news.forget();
    expect(news.at(history, 0, 'epoch')).toBe('');
  });
});
