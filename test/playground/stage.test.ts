import { describe, expect, it } from 'vitest';
import { between, flightPoint, type Layout, layOut } from '../../playground/src/draw/layout.ts';
import { shapePath } from '../../playground/src/draw/shapes.ts';
import { leaseTimer, mainTimer } from '../../playground/src/game/history/timers.ts';
import { choose, split, toggle } from '../../playground/src/stage/aim.ts';
import { placeBar } from '../../playground/src/stage/bar-place.ts';
import { choiceOf } from '../../playground/src/stage/choice.ts';
import { heldAt } from '../../playground/src/stage/held.ts';
import { hit } from '../../playground/src/stage/hit.ts';
import { enclosed } from '../../playground/src/stage/lasso.ts';
import { kindsOf } from '../../playground/src/stage/legend.ts';
import { markOf } from '../../playground/src/stage/mark.ts';
import { latencyAction, networkAt, spanOf } from '../../playground/src/stage/network-now.ts';
import { keeper } from '../../playground/src/stage/same.ts';
import { leaderOf } from '../../playground/src/stage/stage-game.ts';
import { listIds, memberName, timerName } from '../../playground/src/stage/words.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { PlainGame } from './stage-game.ts';

const idsTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

function distances({ ids, places }: Layout): number[] {
  const found: number[] = [];
  for (const a of ids)
    for (const b of ids)
      if (a < b) {
        const [p, q] = [places.get(a)!, places.get(b)!];
        found.push(Math.hypot(p.x - q.x, p.y - q.y));
      }
  return found;
}

describe('the layout', () => {
  for (const [width, height] of [
    [320, 400],
    [390, 500],
    [800, 360],
    [1200, 800],
  ] as const) {
    it(`keeps 3 to 100 members apart and inside ${width} × ${height}`, () => {
      for (const n of [3, 5, 9, 25, 39, 40, 60, 99, 100]) {
        const layout = layOut(idsTo(n), width, height);
        for (const { x, y } of layout.places.values()) {
          expect(Math.min(x, y, width - x, height - y)).toBeGreaterThanOrEqual(layout.disc);
        }
        expect([n, Math.min(...distances(layout)) / layout.disc]).toEqual([
          n,
          expect.toSatisfy((x) => x >= 2),
        ]);
      }
    });
  }

  it('sees a message leave its sender and reach its receiver, and half-way where nothing may move', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const layout = layOut(idsTo(5), 600, 600);
    const flight = game.history.flights.all.find((each) => each.id >= 0)!;
    const from = layout.places.get(flight.from)!;
    const away = [0, 0.5, 1].map((part) => {
      const point = flightPoint(
        layout,
        flight,
        flight.sentMs + part * (flight.dueMs - flight.sentMs),
        false,
      )!;
      return Math.hypot(point.x - from.x, point.y - from.y);
    });
    expect(away[0]).toBeLessThan(away[1]!);
    expect(away[1]).toBeLessThan(away[2]!);
    const middle = flightPoint(layout, flight, (flight.sentMs + flight.dueMs) / 2, false);
    expect(flightPoint(layout, flight, flight.sentMs, true)).toEqual(middle);
  });

  it('lets the copies of a message go on from where it was, side by side', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const layout = layOut(idsTo(5), 600, 600);
    const flight = game.history.flights.all.findLast((each) => each.id >= 0)!;
    game.seek(flight.sentMs + 60);
    const before = flightPoint(layout, flight, game.cursorMs, false)!;
    game.act({ do: 'duplicate', flight: flight.id });
    const copies = game.frame.flights.filter(
      (each) => each.from === flight.from && each.to === flight.to && each.leftMs === flight.sentMs,
    );
    const points = copies.map((copy) => flightPoint(layout, copy, game.cursorMs, false)!);
    expect(points).toHaveLength(2);
    for (const { x, y } of points) expect(Math.hypot(x - before.x, y - before.y)).toBeLessThan(20);
    expect(points[0]).not.toEqual(points[1]);
  });
});

describe('pointing', () => {
  const layout = layOut(idsTo(5), 600, 600);
  const sight = { layout, flights: [], ms: 0, isStill: false };
  const [one, two, three] = [layout.places.get(1)!, layout.places.get(2)!, layout.places.get(3)!];
  const part = (p: number): { x: number; y: number } => ({
    x: one.x + (three.x - one.x) * p,
    y: one.y + (three.y - one.y) * p,
  });

  it('finds members, links with their nearer end first, and nothing', () => {
    expect(hit(sight, two, 6)).toEqual({ kind: 'member', id: 2 });
    expect(hit(sight, part(0.3), 6)).toEqual({ kind: 'link', from: 1, to: 3 });
    expect(hit(sight, part(0.7), 6)).toEqual({ kind: 'link', from: 3, to: 1 });
    expect(hit(sight, { x: 2, y: 2 }, 6)).toBeNull();
  });

  it('finds a message before the link that it is on', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const flight = game.history.flights.all.find((each) => each.id >= 0)!;
    const ms = (flight.sentMs + flight.dueMs) / 2;
    const at = flightPoint(layout, flight, ms, false)!;
    expect(hit({ ...sight, flights: [flight], ms }, at, 6)).toEqual({ kind: 'flight', flight });
  });

  it('chooses, and cuts a link that is chosen already; with Alt only the way to the near end', () => {
    const game = new PlainGame('epoch', 5, 5000);
    choose(game, { kind: 'link', from: 1, to: 3 }, false);
    expect([game.selection, game.frame.blocked.size]).toEqual([{ kind: 'link', from: 1, to: 3 }, 0]);
    choose(game, { kind: 'link', from: 3, to: 1 }, false);
    expect([...game.frame.blocked].sort()).toEqual(['1>3', '3>1']);
    choose(game, { kind: 'link', from: 3, to: 1 }, false);
    expect(game.frame.blocked.size).toBe(0);
    choose(game, { kind: 'link', from: 2, to: 4 }, true);
    expect([...game.frame.blocked]).toEqual(['4>2']);
    choose(game, null, false);
    expect(game.selection).toBeNull();
  });

  it('pauses for a message, and kills and restarts with a double click', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const index = game.history.flights.all.length - 1;
    game.play();
    choose(game, { kind: 'flight', flight: game.history.flights.all[index]! }, false);
    expect([game.isPlaying, game.selection]).toEqual([false, { kind: 'flight', index }]);
    toggle(game, { kind: 'member', id: 3 });
    expect(game.frame.members[2]!.alive).toBe(false);
    toggle(game, { kind: 'member', id: 3 });
    expect(game.timeline.events.map((event) => event.do)).toEqual(['crash', 'restart']);
  });

  it('splits what a loop encloses from the rest', () => {
    const around = [
      { x: one.x - 40, y: one.y - 40 },
      { x: two.x + 40, y: one.y - 40 },
      { x: two.x + 40, y: two.y + 40 },
      { x: one.x - 40, y: one.y + 40 },
    ];
    expect(enclosed(layout, around)).toEqual([1, 2]);
    expect(enclosed(layout, around.slice(0, 2))).toEqual([]);
    const game = new PlainGame('epoch', 5, 5000);
    split(game, [1, 2]);
    expect(game.frame.blocked.size).toBe(12);
    expect(game.notice).toBe('1 and 2 can no longer hear the rest.');
    split(game, []);
    split(game, [1, 2, 3, 4, 5]);
    expect(game.timeline.events).toHaveLength(1);
  });
});

describe('what can be done', () => {
  const layout = layOut(idsTo(5), 600, 600);
  const names = (game: PlainGame, commands: readonly string[] = []): string[] => {
    const choice = choiceOf(game, layout, commands)!;
    return [...choice.first, ...choice.more].map((deed) => deed.name);
  };

  it('to a member depends on how it is', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const leader = leaderOf(game.frame)!;
    game.select({ kind: 'member', id: leader });
    expect(names(game, catalogue.epoch!.commands)).toEqual([
      'Kill',
      'Pause',
      'Isolate',
      'Fire keep-alive',
      'Restart with amnesia',
      'Campaign',
      'Clock ×0.5',
      'Clock ×1',
      'Clock ×2',
      'Stall disk',
      'Fill disk',
    ]);
    game.act({ do: 'crash', member: leader }, { do: 'cut', from: leader, to: 'all' });
    game.act({ do: 'disk', member: leader, fault: 'full' });
    expect(names(game).at(-1)).toBe('Mend disk');
    expect(names(game).slice(0, 3)).toEqual(['Restart', 'Reconnect', 'Restart with amnesia']);
  });

  it('to a link depends on what is cut', () => {
    const game = new PlainGame('epoch', 5, 5000);
    game.select({ kind: 'link', from: 1, to: 3 });
    expect(names(game)).toEqual(['Cut both ways', 'Cut 1 → 3', 'Cut 3 → 1']);
    game.act({ do: 'cut', from: 1, to: 3, oneWay: true });
    expect(names(game)).toEqual(['Heal', 'Cut both ways', 'Cut 3 → 1']);
    game.act({ do: 'cut', from: 1, to: 3 });
    expect(names(game)).toEqual(['Heal']);
  });

  it('everything that is offered can be done, by every protocol', () => {
    for (const protocol of Object.keys(catalogue)) {
      const game = new PlainGame(protocol, 5, 12_000);
      game.select({ kind: 'member', id: leaderOf(game.frame)! });
      const { commands } = catalogue[protocol]!;
      for (const name of names(game, commands)) {
        const choice = choiceOf(game, layout, commands)!;
        const deed = [...choice.first, ...choice.more].find((each) => each.name === name);
        if (deed !== undefined) game.act(...deed.actions);
      }
      const skipped = game.history.entries.filter(
        (entry) => entry.kind === 'event' && entry.event.skipped !== undefined,
      );
      expect([protocol, skipped]).toEqual([protocol, []]);
    }
  });

  it('to a message ends with it, and what is held can be let go', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const { all } = game.history.flights;
    const index = all.findLastIndex((each) => each.id >= 0);
    game.select({ kind: 'flight', index });
    game.seek(all[index]!.sentMs + 1);
    expect(names(game)).toEqual(['Drop', 'Hold', 'Duplicate']);
    const { from, to } = all[index]!;
    const { type } = all[index]!.message;
    game.act(...choiceOf(game, layout, [])!.first[1]!.actions);
    const heldMs = game.cursorMs;
    expect(heldAt(game.history, heldMs)).toEqual([{ from, to, type, count: 1 }]);
    expect(heldAt(game.history, heldMs - 0.001)).toEqual([]);
    game.goTo(6000);
    game.act({ do: 'release', from, to, type });
    expect(heldAt(game.history, game.cursorMs)).toEqual([]);
    expect(heldAt(game.history, heldMs)).toHaveLength(1);
    expect(choiceOf(game, layout, [])).not.toMatchObject({ first: [{}] });
  });

  it('stands beside what it is about, inside the stage', () => {
    const bar = { width: 280, height: 100 };
    for (const [width, height] of [
      [340, 500],
      [600, 600],
      [1000, 340],
    ] as const) {
      const wide = layOut(idsTo(5), width, height);
      const places = [...wide.places.values()];
      for (const from of places) {
        for (const to of places) {
          const clearance = from === to ? wide.disc + 18 : 14;
          const { x, y } = placeBar({ from, to, clearance }, bar, wide);
          expect(Math.min(x, y, width - x - bar.width, height - y - bar.height)).toBeGreaterThanOrEqual(8);
          const covers = (p: { x: number; y: number }): boolean =>
            p.x > x && p.x < x + bar.width && p.y > y && p.y < y + bar.height;
          if (from === to || width === 600) expect(covers(between(from, to, 0.5))).toBe(false);
        }
      }
    }
  });

  it('hides no member where there is room beside them', () => {
    const bar = { width: 290, height: 106 };
    for (const [width, height] of [
      [880, 320],
      [880, 360],
      [1200, 500],
    ] as const) {
      const wide = layOut(idsTo(5), width, height);
      for (const from of wide.places.values()) {
        for (const to of wide.places.values()) {
          const clearance = from === to ? wide.disc + 18 : 14;
          const { x, y } = placeBar({ from, to, clearance }, bar, wide);
          for (const [id, each] of wide.places) {
            const [dx, dy] = [
              Math.max(x - each.x, 0, each.x - x - bar.width),
              Math.max(y - each.y, 0, each.y - y - bar.height),
            ];
            expect([width, id, Math.hypot(dx, dy)]).toEqual([
              width,
              id,
              expect.toSatisfy((away) => away >= wide.disc),
            ]);
          }
        }
      }
    }
  });
});

describe('words and signs', () => {
  const standing = { protocol: 'epoch', isActing: false, isRival: false, isTwin: false, isMarked: false };

  it('name a member as it stands', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const leader = leaderOf(game.frame)!;
    const shot = game.frame.members.find((each) => each.id !== leader)!;
    expect(memberName(shot, standing)).toBe(`Member ${shot.id}, follower of ${leader}, epoch ${shot.term}`);
    expect(timerName(mainTimer(game.history, shot, game.cursorMs), game.cursorMs)).toMatch(
      /^wait \d?\d % over$/,
    );
    const leading = game.frame.members.find((each) => each.id === leader)!;
    expect(memberName(leading, { ...standing, isActing: true })).toMatch(/, leader, epoch \d, \d votes$/);
    expect(memberName(leading, { ...standing, isRival: true, isTwin: true })).toMatch(
      /one of several that claim to lead, with another in the same epoch$/,
    );
    expect(memberName({ ...leading, clockRate: 2, disk: 'full' }, { ...standing, isRival: true })).toMatch(
      /claims to lead but may not act, .*clock ×2, disk: full, one of several that claim to lead$/,
    );
    expect(memberName({ ...shot, alive: false }, { ...standing, isMarked: true })).toBe(
      `Member ${shot.id}, down, marked`,
    );
    expect(listIds([1, 2, 3])).toBe('1, 2 and 3');
    expect(listIds(idsTo(20))).toBe('1, 2, 3, 4, 5, 6 and 14 more');
  });

  it('tell those that have not started from those that are down', () => {
    const game = new PlainGame('epoch', 3, 0);
    const names = (): string[] => game.frame.members.map((shot) => memberName(shot, standing));
    expect(names()).toEqual([1, 2, 3].map((id) => `Member ${id}, not started yet`));
    game.goTo(100);
    expect(names()[0]).toBe('Member 1, follower without a leader, epoch 0');
    game.act({ do: 'crash', member: 1 });
    expect(names()[0]).toBe('Member 1, down');
    game.seek(0);
    expect(names()[0]).not.toContain('down');
  });

  it('keep the words of a leader inside its inner ring', () => {
    const game = new PlainGame('epoch', 5, 5000);
    const leader = game.frame.members.find((each) => each.role === 'leader')!;
    for (const disc of [21, 25, 30]) {
      for (const term of [1, 12, 123]) {
        const mark = markOf({ ...leader, term }, disc, 'epoch');
        // Letters of common fonts are about 0.56 of their height wide.
        const half = (mark.term.length * mark.termSize * 0.56) / 2;
        const size = [disc, term, Math.hypot(half, mark.termY)];
        expect(size).toEqual([disc, term, expect.toSatisfy((reach) => reach <= disc - mark.inset - 1)]);
      }
    }
  });

  it('show a lease for as long as its leader may act', () => {
    const game = new PlainGame('quorum', 5, 9000);
    const leader = leaderOf(game.frame)!;
    for (let ms = 9000; ms < 13_000; ms += 50) {
      game.goTo(ms);
      const shot = game.frame.members.find((each) => each.id === leader)!;
      const lease = leaseTimer(game.history, shot, ms);
      expect([ms, lease?.timer, game.frame.acting]).toEqual([ms, shot.lease, [leader]]);
    }
    game.act({ do: 'cut', from: leader, to: 'all' });
    const { dueMs } = leaseTimer(game.history, game.history.memberAt(leader, game.cursorMs)!, game.cursorMs)!;
    game.goTo(dueMs + 5);
    const shot = game.history.memberAt(leader, game.cursorMs)!;
    expect([leaseTimer(game.history, shot, game.cursorMs), game.frame.acting]).toEqual([null, []]);
  });

  it('know the messages of each protocol', () => {
    expect(kindsOf('epoch')).toEqual(['keep-alive', 'request', 'vote']);
    expect(kindsOf('quorum')).toContain('denial');
    expect(kindsOf('bully')).toEqual(expect.arrayContaining(['keep-alive', 'claim', 'announcement']));
  });

  it('draw every shape as a closed path', () => {
    expect(shapePath('square', 10, 10, 10)).toBe('M1 1L19 1L19 19L1 19Z');
    expect(shapePath('circle', 0, 0, 5)).toMatch(/^M5 0A5 5/);
    expect(shapePath('star', 0, 0, 5).match(/L/g)).toHaveLength(9);
  });

  it('stay the same list until something in it changes', () => {
    const keep = keeper<number>();
    const first = keep([1, 2]);
    expect(keep([1, 2])).toBe(first);
    expect(keep([1, 3])).not.toBe(first);
  });
});

describe('the network at a moment', () => {
  it('is what was last said of all links', () => {
    const game = new PlainGame('epoch', 3, 1000);
    const now = () => networkAt(game.timeline.world.scenario.network, game.timeline.events, game.cursorMs);
    expect(now()).toMatchObject({ latencyMs: [100, 350], loss: 0 });
    game.act({ do: 'network', loss: 0.25 });
    game.act({ do: 'network', from: 1, to: 2, loss: 0.9 });
    game.act(latencyAction(500, 20)!);
    expect(now()).toMatchObject({ latencyMs: [500, 500], loss: 0.25 });
    game.seek(900);
    expect(now().loss).toBe(0);
    expect(latencyAction(Number.NaN, 3)).toBeNull();
    expect(spanOf({ minMs: 10, meanMs: 20 })).toEqual([10, 30]);
  });
});
