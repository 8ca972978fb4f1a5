import { describe, expect, it } from 'vitest';
import { frameAt } from '../../playground/src/game/history/frame.ts';
import { type Run, readRun } from '../../playground/src/game/run/run.ts';
import { Timeline } from '../../playground/src/game/run/timeline.ts';
import { Tree } from '../../playground/src/game/run/tree.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { readScenario, simulate } from '../../src/simulation/index.ts';

const START: Run = { protocol: 'epoch', members: 5, seed: 7, untilMs: 1, events: [] };

/** What the command would say of it. */
function hashInNode(run: Run): string {
  return simulate(readScenario(run, catalogue), run.seed).hash;
}

describe('a timeline', () => {
  for (const protocol of Object.keys(catalogue)) {
    it(`of ${protocol}, with everything done by hand, is the run that the command replays`, () => {
      const timeline = new Timeline({ ...START, protocol });
      const { world, history } = timeline;
      timeline.extendTo(12_000);
      const leader = world.leaders[0]!;
      timeline.act([{ do: 'crash', member: leader }]);
      timeline.extendTo(20_000);
      timeline.act([{ do: 'cut', from: 1, to: 2 }]);
      timeline.act([{ do: 'restart', member: leader }]);
      for (let i = 0; i < 40; i++) timeline.next();
      const flight = history.flights
        .inAirAt(timeline.headMs)
        .find((each) => each.endMs > timeline.headMs + 0.002);
      if (flight !== undefined) timeline.act([{ do: 'drop', flight: flight.id }]);
      timeline.act([{ do: 'pause', member: 4 }]);
      timeline.extendTo(30_000);
      expect(timeline.events.length).toBeGreaterThanOrEqual(4);
      expect(hashInNode(timeline.runUpTo(timeline.headMs))).toBe(timeline.hash);
    });
  }

  it('keeps what is planned for later when something is done before it', () => {
    const timeline = new Timeline({ ...START, events: [{ atMs: 9000, do: 'crash', member: 1 }] });
    timeline.extendTo(3000);
    timeline.act([{ do: 'crash', member: 2 }]);
    timeline.extendTo(10_000);
    const crashes = timeline.history.entries.flatMap((each) => (each.kind === 'event' ? [each] : []));
    expect(crashes.filter(({ event }) => event.do === 'crash').map(({ event }) => event.member)).toEqual([
      2, 1,
    ]);
    expect(hashInNode(timeline.runUpTo(10_000))).toBe(timeline.hash);
  });

  it('is the same run wherever it stops: after a step, an act, or for lack of time', () => {
    const timeline = new Timeline({ ...START, events: [{ atMs: 50.0004, do: 'cut', from: 1, to: 2 }] });
    const same = (): void => expect(hashInNode(timeline.runUpTo(timeline.headMs))).toBe(timeline.hash);
    timeline.next();
    same();
    timeline.extendTo(50);
    same();
    timeline.act([{ do: 'restart', member: 'all' }]);
    same();
    timeline.extendTo(60_000, () => false);
    same();
    expect(timeline.headMs).toBeLessThan(60_000);
  });

  it('ends when a page can hold no more, also of messages that never come', () => {
    const crowd = { ...START, protocol: 'draw', members: 100, timing: { heartbeatMs: 50 } };
    const timeline = new Timeline({ ...crowd, network: { latencyMs: 1e9 } });
    expect(timeline.extendTo(600_000)).toBe(false);
    expect(timeline.isFull).toBe(true);
    const { flights } = timeline.history;
    expect(flights.all.length).toBeLessThan(500_000);
    expect(flights.inAirAt(timeline.headMs).length).toBe(flights.all.length);
    expect(flights.between(0, 1).length).toBeLessThan(flights.all.length);
  });

  it('shows the past as it was', () => {
    const timeline = new Timeline({ ...START, events: [{ atMs: 4100, do: 'crash', member: 'leader' }] });
    const seen: string[] = [];
    const moments: number[] = [];
    for (let ms = 0; ms <= 8000; ms += 250) {
      timeline.extendTo(ms);
      const { hosts } = timeline.world;
      seen.push(
        JSON.stringify(
          [...hosts.values()].map(({ alive, view: { role, leader, term } }) => [alive, role, leader, term]),
        ),
      );
      moments.push(ms);
    }
    const shown = moments.map((ms) =>
      JSON.stringify(
        frameAt(timeline.history, ms).members.map(({ alive, role, leader, term }) => [
          alive,
          role,
          leader,
          term,
        ]),
      ),
    );
    expect(shown).toEqual(seen);
    expect(new Set(seen).size).toBeGreaterThan(2);
  });

  it('knows every message on its way, its sender and its arrival', () => {
    const timeline = new Timeline({ ...START, protocol: 'quorum' });
    timeline.extendTo(3000);
    const { flights, entries } = timeline.history;
    expect(flights.all.length).toBeGreaterThan(50);
    for (const flight of flights.all.filter((each) => each.dueMs < 3000)) {
      expect(entries[flight.sentBy]).toMatchObject({ kind: 'step', member: flight.from });
      expect(entries[flight.arrivedAs]).toMatchObject({ kind: 'step', member: flight.to, arrival: flight });
    }
    const { sentMs, dueMs } = flights.all[5]!;
    expect(flights.inAirAt((sentMs + dueMs) / 2)).toContain(flights.all[5]);
    expect(flights.inAirAt(dueMs + 1)).not.toContain(flights.all[5]);
  });

  it('knows who voted for the leader, and which links are cut', () => {
    const timeline = new Timeline(START);
    timeline.extendTo(6000);
    const leader = timeline.world.leaders[0]!;
    const { votes } = timeline.history.memberAt(leader, 6000)!;
    expect(votes).toContain(leader);
    expect(votes.length).toBeGreaterThanOrEqual(3);
    timeline.act([
      {
        do: 'partition',
        groups: [
          [1, 2],
          [3, 4, 5],
        ],
      },
    ]);
    timeline.extendTo(7000);
    const { blocked } = frameAt(timeline.history, 7000);
    expect([blocked.has('1>3'), blocked.has('3>1'), blocked.has('1>2')]).toEqual([true, true, false]);
    expect(frameAt(timeline.history, 6000).blocked.size).toBe(0);
  });
});

describe('a tree of what was tried', () => {
  it('goes on at the end, and forks in the past without losing anything', () => {
    const tree = new Tree(START);
    tree.timeline.extendTo(10_000);
    tree.act([{ do: 'crash', member: 1 }], 10_000);
    tree.timeline.extendTo(20_000);
    const first = tree.timeline.hash;
    tree.act([{ do: 'crash', member: 2 }], 5000);
    expect(tree.branches).toEqual([
      { id: 0, parent: null, forkMs: 0, actions: [] },
      { id: 1, parent: 0, forkMs: 5000, actions: [{ do: 'crash', member: 2 }] },
    ]);
    tree.timeline.extendTo(20_000);
    expect(tree.timeline.hash).not.toBe(first);
    expect(hashInNode(tree.timeline.runUpTo(20_000))).toBe(tree.timeline.hash);
    tree.show(0);
    expect(tree.timeline.hash).toBe(first);
  });

  it('knows its end although time is counted in whole microseconds', () => {
    const tree = new Tree(START);
    for (const ms of [1000.0004, 1033.33333, 1050.00049]) {
      tree.timeline.extendTo(ms);
      tree.act([{ do: 'heal' }], ms);
    }
    expect(tree.branches.length).toBe(1);
  });

  it('plays a branch again that it had to forget', () => {
    const tree = new Tree(START);
    tree.timeline.extendTo(6000);
    const first = tree.timeline.hash;
    for (let ms = 1000; ms <= 5500; ms += 500) {
      tree.show(0);
      tree.act([{ do: 'crash', member: 1 }], ms);
    }
    tree.show(0);
    expect(tree.timeline.headMs).toBe(6000);
    expect(tree.timeline.hash).toBe(first);
  });
});

describe('a run from elsewhere', () => {
  it('is checked like a scenario file, and for what fits into a page', () => {
    expect(() => readRun({ ...START, protocol: 'paxos' })).toThrow(/protocol: expected one of bully/);
    expect(() => readRun({ ...START, members: 101 })).toThrow(/members: expected at most 100/);
    expect(() => readRun({ ...START, untilMs: 1e9 })).toThrow(/untilMs: expected at most 86400000/);
    expect(() => readRun({ ...START, more: 1 })).toThrow(/more/);
  });
});
